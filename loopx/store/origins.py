"""Which todo a record of an imported source became, what the source said of it last, and what is kept of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from loopx.core.instant import Instant
    from loopx.store.connection import Connection
    from loopx.store.transaction import Transaction

TABLE = "origins"
KEY = ("goal_id", "source", "source_id")
KEPT_TABLE = "foreign_records"
_COLUMNS = (*KEY, "todo_id", "seen")
_READ = (
    "SELECT o.source_id, o.todo_id, o.seen, coalesce(t.text, a.text), coalesce(t.closure, a.closure) IS NOT NULL,"
    " coalesce(t.priority, CAST(json_extract(a.record, '$.priority') AS BIGINT)),"
    " coalesce(t.updated_at, CAST(json_extract(a.record, '$.updated_at') AS BIGINT)), f.kept"
    " FROM origins o LEFT JOIN todos t ON t.todo_id = o.todo_id LEFT JOIN archived_todos a ON a.todo_id = o.todo_id"
    " LEFT JOIN foreign_records f ON f.todo_id = o.todo_id"
    " WHERE o.goal_id = ? AND o.source = ? ORDER BY coalesce(t.sequence, a.sequence)"
)
_OF_TODO = "SELECT source, source_id FROM origins WHERE todo_id = ? ORDER BY source, source_id"
_KEPT = "SELECT kept FROM foreign_records WHERE todo_id = ?"
_WRITE = (
    f"INSERT INTO origins ({', '.join(_COLUMNS)}) VALUES (?,?,?,?,?)"
    f" ON CONFLICT ({', '.join(KEY)}) DO UPDATE SET todo_id = excluded.todo_id, seen = excluded.seen"
)
_KEEP = (
    "INSERT INTO foreign_records (todo_id, kept) VALUES (?,?) ON CONFLICT (todo_id) DO UPDATE SET kept = excluded.kept"
)
_FORGET = "DELETE FROM foreign_records WHERE todo_id = ?"


class Origin(Value):
    """A record of a source and its todo.

    `seen` is what the importer remembers of it, and only it reads; `kept` is what its todo has no place for.
    """

    source_id: str
    todo_id: str
    seen: str
    kept: str | None = None


class OriginRow(Value):
    """An origin, and what its todo is now."""

    origin: Origin
    text: str
    is_closed: bool
    priority: int
    updated_at: Instant


def read_origins(db: Connection, goal_id: str, source: str) -> list[OriginRow]:
    """All that came from the source into this goal, in creation order."""
    return [
        OriginRow(Origin(row[0], row[1], row[2], row[7]), row[3], bool(row[4]), row[5], row[6])
        for row in db.execute(_READ, (goal_id, source))
    ]


def write_origins(
    tx: Transaction, goal_id: str, source: str, origins: Iterable[Origin], before: dict[str, Origin]
) -> None:
    """Keep what the source says now; `before` has what was remembered of the records that are known already."""
    news = list(origins)
    _write_seen(tx, goal_id, source, news, before)
    keep_records(
        tx,
        [
            (new.todo_id, old.kept if (old := before.get(new.source_id)) else None, new.kept)
            for new in news
            if new.kept is not None or new.source_id in before
        ],
    )


def _write_seen(
    tx: Transaction, goal_id: str, source: str, origins: Sequence[Origin], before: dict[str, Origin]
) -> None:
    rows = [(goal_id, source, *origin[:3]) for origin in origins]
    if not rows:
        return
    tx.db.executemany(_WRITE, rows)
    noted = tx.changes.setdefault(TABLE, {})
    for row in rows:
        source_id, seen = row[2], row[-1]
        if source_id not in before:
            noted[" ".join(row[:3])] = {name: [None, value] for name, value in zip(_COLUMNS, row, strict=True)}
        elif before[source_id].seen != seen:
            noted[" ".join(row[:3])] = {"seen": [before[source_id].seen, seen]}


def keep_records(tx: Transaction, news: Iterable[tuple[str, str | None, str | None]]) -> None:
    """Keep of each todo what its source says; each is a todo id with the text before and after."""
    changed = [new for new in news if new[1] != new[2]]
    if not changed:
        return
    tx.db.executemany(_KEEP, [(todo_id, kept) for todo_id, _, kept in changed if kept is not None])
    tx.db.executemany(_FORGET, [(todo_id,) for todo_id, _, kept in changed if kept is None])
    noted = tx.changes.setdefault(KEPT_TABLE, {})
    for todo_id, before, kept in changed:
        noted[todo_id] = {**({"todo_id": [None, todo_id]} if before is None else {}), "kept": [before, kept]}


def sources_of(db: Connection, todo_id: str) -> list[tuple[str, str]]:
    """The sources from which the todo came, each with its id there."""
    return [(source, source_id) for source, source_id in db.execute(_OF_TODO, (todo_id,))]


def kept_of(db: Connection, todo_id: str) -> str | None:
    """The JSON text of what is kept of the record that the todo was; None for nothing."""
    row = db.execute(_KEPT, (todo_id,)).fetchone()
    return str(row[0]) if row else None
