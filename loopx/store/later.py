"""What in the history and the tables builds on an operation."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from loopx.core.text import natural_number
from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from loopx.store.connection import Connection
    from loopx.store.events import Changes

_DEED = "SELECT sequence, actor_kind, actor, action, goal_id, changes FROM events WHERE operation_id = :operation AND"
_OF_OPERATION = (  # by the number in the id, by the kept answer of a caller's own id, and as of old
    f"{_DEED} sequence = :number"
    f" UNION {_DEED} sequence = (SELECT sequence FROM operations WHERE operation_id = :operation)"
    f" UNION {_DEED} payload_version = 1 ORDER BY sequence"
)
_TOUCHING = (
    "SELECT e.sequence, e.action, c.key FROM events e, json_each(e.changes, ?) c"
    " WHERE e.sequence > ? AND c.key IN (SELECT value FROM json_each(?)) ORDER BY e.sequence"
)
_WOKEN = (
    "SELECT e.sequence, e.action, c.key FROM events e, json_each(e.changes, '$.todos') c WHERE e.sequence > ?"
    " AND json_extract(c.value, '$.resume_kind[0]') = ? AND json_extract(c.value, '$.resume_ref[0]') = ?"
    " ORDER BY e.sequence"
)
_UNDOINGS = (
    "SELECT sequence, CAST(json_extract(receipt, '$.undone.sequence') AS BIGINT) FROM events"
    " WHERE action = 'operation_undone' AND sequence > ? ORDER BY sequence DESC"
)
_DEPENDENTS = "SELECT todo_id FROM edges WHERE dependency_id IN (SELECT value FROM json_each(?)) ORDER BY todo_id"
_WAITERS = "SELECT todo_id FROM todos WHERE closure IS NULL AND resume_kind = ? AND resume_ref = ? ORDER BY sequence"
_CREATED = "IN (SELECT value FROM json_each(?1))"
_LIVES = "todo_id NOT IN (SELECT todo_id FROM todos WHERE closure = 'superseded')"
_LINKS = {
    "waits for it": f"SELECT todo_id, dependency_id FROM edges WHERE dependency_id {_CREATED} AND {_LIVES}",
    "leads to it": f"SELECT todo_id, successor_id FROM lineage WHERE successor_id {_CREATED}",
    "frees it": f"SELECT todo_id, unblocks_todo_id FROM todos WHERE unblocks_todo_id {_CREATED} AND {_LIVES}",
    "was replaced by it": f"SELECT todo_id, superseded_by FROM todos WHERE superseded_by {_CREATED}",
    "sleeps until it is done": f"SELECT todo_id, resume_ref FROM todos WHERE resume_ref {_CREATED}",
    "is a run on it": f"SELECT run_id, todo_id FROM runs WHERE todo_id {_CREATED}",
}


class Deed(Value):
    """One event of an operation, as far as undoing it needs."""

    sequence: int
    actor_kind: str
    actor: str
    action: str
    goal_id: str | None
    changes: Changes


class Touch(Value):
    """A later event on a row."""

    sequence: int
    action: str
    key: str

    def __str__(self) -> str:
        return f"event {self.sequence} ({self.action}) on {self.key}"


def deeds_of(db: Connection, operation_id: str) -> list[Deed]:
    """What the operation did, in order."""
    values = {"operation": operation_id, "number": natural_number(operation_id.rpartition("_")[2])}
    return [_deed(row) for row in db.execute(_OF_OPERATION, values)]


def first_touch(db: Connection, table: str, keys: Collection[str], after: int) -> Touch | None:
    """The first event later than `after` on one of the rows that still counts."""
    return _first(db, db.execute(_TOUCHING, (f"$.{table}", after, json.dumps(list(keys)))), after)


def first_woken(db: Connection, kind: str, ref: str, after: int) -> Touch | None:
    """The first event later than `after` by which a todo went on that had slept for the condition."""
    return _first(db, db.execute(_WOKEN, (after, kind, ref)), after)


def undone_since(db: Connection, after: int) -> set[int]:
    """The events that do not count any more: those taken back later than `after`, and what took them back."""
    gone: set[int] = set()
    for sequence, target in db.execute(_UNDOINGS, (after,)):
        if sequence not in gone:  # an undo that was itself undone takes nothing back
            gone |= {sequence, target}
    return gone


def dependents_of_any(db: Connection, todo_ids: Collection[str]) -> list[str]:
    """Who is blocked by one of these."""
    return [row[0] for row in db.execute(_DEPENDENTS, (json.dumps(list(todo_ids)),))]


def waiters_for(db: Connection, kind: str, ref: str) -> list[str]:
    """Who sleeps for the condition."""
    return [row[0] for row in db.execute(_WAITERS, (kind, ref))]


def link_to(db: Connection, created: Collection[str], own: Collection[str]) -> str | None:
    """In words, the first thing outside `own` that names one of the created todos."""
    for words, statement in _LINKS.items():
        for source, target in db.execute(statement, (json.dumps(list(created)),)):
            if source not in own:
                return f"{source} {words} ({target})"
    return None


def stored_row(db: Connection, table: str, key: tuple[str, ...], values: Collection[str]) -> dict[str, Any]:
    """The row of a small table by its key."""
    where = " AND ".join(f"{name} = ?" for name in key)
    cursor = db.execute(f"SELECT * FROM {table} WHERE {where}", list(values))
    names = [column[0] for column in cursor.description]
    return dict(zip(names, cursor.fetchone(), strict=True))


def _first(db: Connection, touches: Iterable[tuple[Any, ...]], after: int) -> Touch | None:
    gone = undone_since(db, after)
    return next((Touch(*row) for row in touches if row[0] not in gone), None)


def _deed(row: tuple[Any, ...]) -> Deed:
    sequence, actor_kind, actor, action, goal_id, changes = row
    return Deed(sequence, actor_kind, actor, action, goal_id, json.loads(changes))
