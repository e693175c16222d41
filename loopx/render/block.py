"""What a text answer is made of; `plain` and `terminal` write the same blocks in two ways."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable


class Tone(StrEnum):
    """What a reader's eye should do with it; colours exist on a terminal alone."""

    PLAIN = "plain"
    STRONG = "strong"  # what the answer is about
    QUIET = "quiet"  # there for completeness
    GOOD = "good"  # settled
    ALERT = "alert"  # somebody must act
    BAD = "bad"  # wrong or lost


class Span(Value):
    """A piece of text in one tone; line ends in it are shown as signs."""

    text: str
    tone: Tone = Tone.PLAIN


class Line(Value):
    """One line of spans."""

    spans: tuple[Span, ...]


class Facts(Value):
    """Names and values, aligned; a value may have several lines."""

    rows: tuple[tuple[str, Span], ...]


class Table(Value):
    """Rows under a heading; a column without any value is left out."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Span, ...], ...]


class Verbatim(Value):
    """Text that must leave exactly as it is, such as a script."""

    text: str


class Gap(Value):
    """An empty line."""


Block = Line | Facts | Table | Verbatim | Gap


def line(*parts: str | Span) -> Line:
    """A line of plain texts and toned spans."""
    return Line(tuple(span(part) for part in parts))


def title(text: str) -> Line:
    """A line that says what follows."""
    return Line((Span(text, Tone.STRONG),))


def facts(rows: Iterable[tuple[str, str | Span | None]]) -> Facts:
    """The rows that have a value."""
    spans = ((name, span(value)) for name, value in rows)
    return Facts(tuple((name, value) for name, value in spans if value.text))


def table(columns: Iterable[str], rows: Iterable[Iterable[str | Span]]) -> Table:
    """A table of plain texts and toned spans."""
    return Table(tuple(columns), tuple(tuple(span(cell) for cell in row) for row in rows))


def span(part: str | Span | None) -> Span:
    """The part as a span."""
    return part if isinstance(part, Span) else Span(part or "")


def filled_columns(block: Table) -> list[int]:
    """The columns in which any row has a value."""
    return [at for at in range(len(block.columns)) if any(row[at].text for row in block.rows)]
