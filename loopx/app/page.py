"""Bounded lists: a page, how many there are in all, and where the next one starts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.core.errors import UsageError
from loopx.core.value import Value

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from loopx.app.mutation import Document

DEFAULT_LIMIT = 50
MOST = 10_000  # more than any reader wants; keeps an answer from filling memory


class Page(Value):
    """What part of a list is wanted: at most `limit` rows after `cursor`, a sequence number."""

    limit: int = DEFAULT_LIMIT
    cursor: str | None = None

    @property
    def after(self) -> int:
        """The sequence after which the page starts; UsageError for a cursor that no page gave."""
        if self.cursor is None:
            return 0
        if not (self.cursor.isascii() and self.cursor.isdecimal() and len(self.cursor) < 19):
            raise UsageError(
                f"{self.cursor!r} is not a cursor", hint="Pass on the next_cursor of the page before."
            )
        return int(self.cursor)


def checked_page(limit: int, cursor: str | None) -> Page:
    """The page; UsageError for a limit out of range."""
    if not 1 <= limit <= MOST:
        raise UsageError(f"a limit of {limit} is out of range", hint=f"--limit is 1 to {MOST}.")
    return Page(limit, cursor)


class Filter:
    """Conditions and their values, joined by AND."""

    def __init__(self) -> None:
        self.conditions: list[str] = []
        self.values: list[Any] = []

    def add(self, condition: str, *values: Any) -> None:
        """One more condition with its bound values."""
        self.conditions.append(condition)
        self.values += values

    def add_if(self, condition: str, value: Any) -> None:
        """The condition, where a value was given."""
        if value is not None:
            self.add(condition, value)

    @property
    def where(self) -> str:
        """The `WHERE` text."""
        return "WHERE " + (" AND ".join(self.conditions) or "1")


def total_of(db: sqlite3.Connection, table: str, chosen: Filter) -> int:
    """How many rows pass the filter."""
    return int(db.execute(f"SELECT count(*) FROM {table} {chosen.where}", chosen.values).fetchone()[0])


def page_keys(sequences: Sequence[int], total_after: int, limit: int) -> Document:
    """`truncated` and `next_cursor` of a page whose rows have these sequences."""
    truncated = total_after > limit
    return {"truncated": truncated, "next_cursor": str(sequences[limit - 1]) if truncated else None}
