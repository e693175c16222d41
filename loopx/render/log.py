"""The history: a line an event, and under it why it was done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.render.block import Block, Span, Tone, line, table
from loopx.render.fallback import shown
from loopx.render.receipt import foot, receipt_blocks
from loopx.render.todo import todo_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_COLUMNS = ("event", "at", "actor", "action", "goal", "todo", "changed", "reason")
_UNTOLD = frozenset(("version", "sequence", "created_at", "claimed_at"))  # in every change of their kind


def events(document: Mapping[str, Any]) -> Iterator[Block]:
    """`log`."""
    if document["events"]:
        yield table(_COLUMNS, (_row(event) for event in document["events"]))
    yield foot(document, len(document["events"]), "event")


def replayed(document: Mapping[str, Any]) -> Iterator[Block]:
    """`replay`."""
    when = f" ({document['at']})" if document["at"] else ""
    yield line("As it was after event ", Span(str(document["at_sequence"]), Tone.STRONG), when)
    yield from todo_rows(document["todos"])
    yield foot(document, len(document["todos"]), "todo")


def undone(document: Mapping[str, Any]) -> Iterator[Block]:
    """`undo`."""
    deed = document["undone"]
    yield line(Span("Undone: ", Tone.GOOD), f"event {deed['sequence']}, {deed['action'].replace('_', ' ')}")
    yield from todo_rows(document["todos"])
    yield from receipt_blocks(document)


def _row(event: Mapping[str, Any]) -> list[str | Span]:
    return [
        str(event["sequence"]),
        Span(event["at"], Tone.QUIET),
        event["actor"],
        Span(event["action"], Tone.STRONG),
        event["goal_id"] or "",
        event["todo_id"] or "",
        ", ".join(_changed(event["changes"])),
        _why(event),
    ]


def _changed(changes: Mapping[str, Any]) -> list[str]:
    """The names of the columns that changed, each once."""
    columns = (name for rows in changes.values() for row in rows.values() for name in row)
    return [name for name in dict.fromkeys(columns) if name not in _UNTOLD]


def _why(event: Mapping[str, Any]) -> str:
    facts = {key: value for key, value in event["receipt"].items() if not isinstance(value, dict)}
    return "; ".join(part for part in (event["reason"], shown(facts)) if part)
