"""What people's views of a goal read: short lists, each from an index of its own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from loopx.core.value import Value
from loopx.store.todos import bare_todos

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from loopx.core.instant import Instant
    from loopx.core.todo import Todo
    from loopx.store.connection import Connection

_FOR_USER = "t.goal_id = ? AND t.role = 'user' AND t.closure IS NULL"
_ASKED = "t.goal_id IN (SELECT value FROM json_each(?)) AND t.role = 'user' AND t.closure IS NULL AND t.status = 'open'"
_ACT = "sequence, at, actor_kind, actor, action, goal_id, todo_id, reason"
_LATEST_ACTS = (
    "SELECT max(sequence), at, actor_kind, actor, action, goal_id, todo_id, reason FROM"
    f" (SELECT {_ACT} FROM events ORDER BY sequence DESC LIMIT ?)"
    " WHERE actor_kind = 'agent' AND goal_id = ? GROUP BY actor"
)
_FREED_BY = "SELECT todo_id FROM todos WHERE unblocks_todo_id = ? ORDER BY sequence"

_TEXTS = (
    "SELECT value, coalesce((SELECT text FROM todos WHERE todo_id = value),"
    " (SELECT text FROM archived_todos WHERE todo_id = value), '') FROM json_each(?)"
)
_CLOSED_BY_DAY = (
    "SELECT closed_at / 86400000000 AS day, count(*) FROM todos"
    " WHERE goal_id = ? AND closure IS NOT NULL AND closed_at >= ? GROUP BY day"
)


class Act(Value):
    """An event without what it changed: who did what, when and why."""

    sequence: int
    at: Instant
    actor_kind: str
    actor: str
    action: str
    goal_id: str | None
    todo_id: str | None
    reason: str | None


def asked_todos(db: Connection, goal_ids: Iterable[str], limit: int) -> list[Todo]:
    """The first open items of a person in these goals, gates before actions and then by rank."""
    where = f"WHERE {_ASKED} ORDER BY t.task_class <> 'user_gate', t.priority, t.sequence LIMIT ?"
    return bare_todos(db, where, (json.dumps(list(goal_ids)), limit))


def asked_count(db: Connection, goal_ids: Iterable[str]) -> int:
    """How many items of these goals are open for a person."""
    sql = f"SELECT count(*) FROM todos t WHERE {_ASKED}"
    return int(db.execute(sql, (json.dumps(list(goal_ids)),)).fetchone()[0])


def asked_todo(db: Connection, todo_id: str) -> Todo | None:
    """The item of a person of that id, unless it is closed."""
    found = bare_todos(db, "WHERE t.todo_id = ? AND t.role = 'user' AND t.closure IS NULL", (todo_id,))
    return found[0] if found else None


def user_todos(db: Connection, goal_id: str, limit: int) -> list[Todo]:
    """The first items of a person that are not closed, by rank."""
    return bare_todos(db, f"WHERE {_FOR_USER} ORDER BY t.priority, t.sequence LIMIT ?", (goal_id, limit))


def newest_closed(db: Connection, goal_id: str, limit: int) -> list[Todo]:
    """What was closed last, newest first."""
    where = "WHERE t.goal_id = ? AND t.closure IS NOT NULL ORDER BY t.closed_at DESC, t.sequence DESC LIMIT ?"
    return bare_todos(db, where, (goal_id, limit))


def closed_by_day(db: Connection, goal_id: str, since: Instant) -> dict[int, int]:
    """How many todos were closed on each UTC day, counted in days since the epoch; from the index alone."""
    return dict(db.execute(_CLOSED_BY_DAY, (goal_id, since)).fetchall())


def recent_acts(db: Connection, where: str, values: Sequence[object]) -> list[Act]:
    """The acts of a `WHERE … ORDER BY …` text over the events."""
    return [Act(*row) for row in db.execute(f"SELECT {_ACT} FROM events {where}", values)]


def latest_acts(db: Connection, goal_id: str, recent: int) -> list[Act]:
    """The newest act of each agent of the goal among the `recent` last events of the project."""
    return [Act(*row) for row in db.execute(_LATEST_ACTS, (recent, goal_id))]


def texts_of(db: Connection, todo_ids: Iterable[str]) -> list[tuple[str, str]]:
    """The texts of these todos, archived ones too."""
    return [(row[0], row[1]) for row in db.execute(_TEXTS, (json.dumps(sorted(todo_ids)),))]


def gates_freeing(db: Connection, todo_id: str) -> list[str]:
    """The gates that name the todo as what they unblock."""
    return [row[0] for row in db.execute(_FREED_BY, (todo_id,))]
