"""The history is the state: what all events say together is exactly what the tables hold (S1.6).

An event lists, for every row that it touched, what each column was and became. So any past state can
be rebuilt, and a table that says anything else than its history was edited by a foreign hand.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from loopx.contracts.record import Record, record_of
from loopx.core.todo import Role, Route, Status, TaskClass, Todo
from loopx.core.value import Value
from loopx.store.archive import archived_todos
from loopx.store.todos import select_todos

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from loopx.core.instant import Instant
    from loopx.store.connection import Connection
    from loopx.store.events import Changes

State = dict[str, dict[str, Record]]  # table → key → column → value; edges and lineage are in the todos

TODOS = "todos"
# The small tables and the columns whose values, joined by a space, are a row's key in an event.
KEYS = {
    "claim_tokens": ("token",),
    "lapses": ("todo_id", "agent_id"),
    "facts": ("fact",),
    "criteria_met": ("goal_id", "criterion_id"),
    "origins": ("goal_id", "source", "source_id"),
    "foreign_records": ("todo_id",),
    "runs": ("run_id",),
    "handoffs": ("handoff_id",),
    "material_reads": ("goal_id", "material_id", "agent_id"),
    "material_revisions": ("goal_id", "material_id"),
    "spends": ("run_id",),
    "messages": ("message_id",),
    "plans": ("plan_id",),
    "workers": ("goal_id", "agent_id"),
}
# A row that can end, and the column that is None from then on.
_REMOVED = {
    "lapses": "lapsed_at",
    "facts": "recorded_at",
    "criteria_met": "met_at",
    "foreign_records": "kept",
    "messages": "sent_at",
}

# What a new todo holds where its event is silent: nothing, empty lists, zero.
_BLANK = record_of(
    Todo(
        todo_id="",
        sequence=0,
        role=Role.AGENT,
        status=Status.OPEN,
        priority=0,
        text="",
        route=Route("", TaskClass.ADVANCEMENT),
        created_at=0,
        updated_at=0,
        version=0,
    )
)


class PastEvent(Value):
    """What replaying needs of an event."""

    sequence: int
    at: Instant
    changes: Changes


class Drift(Value):
    """A row that its history tells differently; None stands for no such row."""

    table: str
    key: str
    replayed: Record | None
    stored: Record | None

    @property
    def columns(self) -> tuple[str, ...]:
        """Where the two differ; all columns where one of them is missing."""
        replayed, stored = self.replayed or {}, self.stored or {}
        names = dict.fromkeys((*replayed, *stored))
        return tuple(name for name in names if replayed.get(name) != stored.get(name))


def past_events(db: Connection, *, until: int | None = None) -> Iterator[PastEvent]:
    """The events in order, up to and with the sequence `until`."""
    sql = "SELECT sequence, at, changes FROM events WHERE sequence <= :until OR :until IS NULL ORDER BY sequence"
    for sequence, at, changes in db.execute(sql, {"until": until}):
        yield PastEvent(sequence, at, json.loads(changes))


def replay(events: Iterable[PastEvent]) -> State:
    """The state that the events make, beginning with nothing."""
    state: State = {table: {} for table in (TODOS, *KEYS)}
    for event in events:
        for table in state.keys() & event.changes.keys():
            for key, changed in event.changes[table].items():
                _apply(state, table, key, changed, event.at)
    return state


def table_state(db: Connection) -> State:
    """The same, as the tables hold it now."""
    todos = select_todos(db, "ORDER BY t.sequence", ()) + archived_todos(db, "ORDER BY t.sequence", ())
    state: State = {TODOS: {todo.todo_id: record_of(todo) for todo in todos}}
    for table, key in KEYS.items():
        state[table] = {_key_of(row, key): row for row in _rows(db, table)}
    return state


def drifts(replayed: State, stored: State) -> list[Drift]:
    """Every row in which the two differ, in the order of tables and keys."""
    return [
        Drift(table, key, replayed[table].get(key), stored[table].get(key))
        for table in replayed
        for key in sorted(replayed[table].keys() | stored[table].keys())
        if replayed[table].get(key) != stored[table].get(key)
    ]


def _apply(state: State, table: str, key: str, changed: dict[str, Any], at: Instant) -> None:
    rows = state[table]
    news = {name: after for name, (_, after) in changed.items()}
    if table == TODOS:
        rows[key] = {**rows.get(key, _BLANK), "updated_at": at, **news, "todo_id": key}
        return
    rows[key] = _filled({**rows.get(key, {}), **news})
    if table in _REMOVED and _REMOVED[table] not in rows[key]:
        del rows[key]


def _rows(db: Connection, table: str) -> Iterator[Record]:
    cursor = db.execute(f"SELECT * FROM {table}")
    names = [column[0] for column in cursor.description]
    return (_filled(dict(zip(names, row, strict=True))) for row in cursor)


def _filled(row: Record) -> Record:
    """A row of a small table without what is empty: an event about a new row is silent about it."""
    return {name: value for name, value in row.items() if value not in (None, 0)}


def _key_of(row: Record, key: tuple[str, ...]) -> str:
    return " ".join(str(row[name]) for name in key)
