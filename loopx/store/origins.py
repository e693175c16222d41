"""Which todo an item of an imported source became, and what the source said of it last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopx.store.connection import Connection
    from loopx.store.transaction import Transaction

TABLE = "origins"
KEY = ("goal_id", "source", "source_id")
_COLUMNS = (*KEY, "todo_id", "seen")
_READ = (
    "SELECT o.source_id, o.todo_id, o.seen, coalesce(t.text, a.text), coalesce(t.closure, a.closure) IS NOT NULL"
    " FROM origins o LEFT JOIN todos t ON t.todo_id = o.todo_id LEFT JOIN archived_todos a ON a.todo_id = o.todo_id"
    " WHERE o.goal_id = ? AND o.source = ? ORDER BY coalesce(t.sequence, a.sequence)"
)
_WRITE = (
    f"INSERT INTO origins ({', '.join(_COLUMNS)}) VALUES (?,?,?,?,?)"
    f" ON CONFLICT ({', '.join(KEY)}) DO UPDATE SET todo_id = excluded.todo_id, seen = excluded.seen"
)


class Origin(Value):
    """An item of a source and its todo; `seen` is what the importer keeps of it, and only it reads."""

    source_id: str
    todo_id: str
    seen: str


class OriginRow(Value):
    """An origin, and what its todo is now."""

    origin: Origin
    text: str
    is_closed: bool


def read_origins(db: Connection, goal_id: str, source: str) -> list[OriginRow]:
    """All that came from the source into this goal, in creation order."""
    rows = db.execute(_READ, (goal_id, source))
    return [OriginRow(Origin(*row[:3]), row[3], bool(row[4])) for row in rows]


def write_origins(
    tx: Transaction, goal_id: str, source: str, origins: Iterable[Origin], before: dict[str, str]
) -> None:
    """Keep what the source says now; `before` has what it said of the items that are known already."""
    rows = [(goal_id, source, *origin) for origin in origins]
    if not rows:
        return
    tx.db.executemany(_WRITE, rows)
    noted = tx.changes.setdefault(TABLE, {})
    for row in rows:
        source_id, seen = row[2], row[-1]
        if source_id in before:
            noted[" ".join(row[:3])] = {"seen": [before[source_id], seen]}
        else:
            noted[" ".join(row[:3])] = {name: [None, value] for name, value in zip(_COLUMNS, row, strict=True)}
