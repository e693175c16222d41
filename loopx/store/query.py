"""Conditions that callers join: every value is bound, every text is a constant of its module."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from loopx.store.connection import Connection


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
        return "WHERE " + (" AND ".join(self.conditions) or "true")


def total_of(db: Connection, table: str, chosen: Filter) -> int:
    """How many rows pass the filter."""
    return int(db.execute(f"SELECT count(*) FROM {table} {chosen.where}", chosen.values).fetchone()[0])
