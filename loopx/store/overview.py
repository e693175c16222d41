"""Reading a goal at a glance: kept counts and short lists, never all todos."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.todo import TaskClass
from loopx.core.value import Value
from loopx.store.cohorts import HELD_ROWS
from loopx.store.todo_row import route_of_identity
from loopx.store.todos import bare_todos

if TYPE_CHECKING:
    import sqlite3

    from loopx.core.instant import Instant
    from loopx.core.todo import Todo

_BY_CLASS = (
    "SELECT task_class, sum(open_count), sum(ready_count), sum(blocked_count), sum(deferred_count)"
    " FROM routes WHERE goal_id = ?"
    " GROUP BY task_class HAVING sum(open_count + blocked_count + deferred_count) > 0"
)
_CLOSED = (
    "SELECT (SELECT count(*) FROM todos WHERE goal_id = ?1 AND closure IS NOT NULL)"
    " + (SELECT count(*) FROM archived_todos WHERE goal_id = ?1)"
)
_ANY = (
    "SELECT EXISTS (SELECT 1 FROM todos WHERE goal_id = ?1) OR EXISTS (SELECT 1 FROM archived_todos WHERE goal_id = ?1)"
)
_OPEN_GATES = "t.goal_id = ? AND t.task_class = 'user_gate' AND t.closure IS NULL AND t.role = 'user'"
_HELD = f"t.sequence IN ({HELD_ROWS}) AND (t.claimed_by IS NOT NULL OR t.lease_expires_at > :now)"
_OF_AGENT = (
    f"SELECT count(*) FROM todos WHERE sequence IN ({HELD_ROWS})"
    " AND (claimed_by = :agent OR (lease_holder = :agent AND lease_expires_at > :now))"
)
_UNFINISHED = "SELECT identity, open_count + blocked_count + deferred_count FROM routes WHERE goal_id = ?"


class Counts(Value):
    """How many todos of a kind stand how; `ready` ones are among the `open`."""

    open: int
    ready: int
    blocked: int
    deferred: int

    @property
    def unfinished(self) -> int:
        """All that is not closed."""
        return self.open + self.blocked + self.deferred


def class_counts(db: sqlite3.Connection, goal_id: str) -> dict[TaskClass, Counts]:
    """The counts of each class of which anything is not closed."""
    found = {TaskClass(row[0]): Counts(*row[1:]) for row in db.execute(_BY_CLASS, (goal_id,))}
    return {task_class: found[task_class] for task_class in TaskClass if task_class in found}


def closed_count(db: sqlite3.Connection, goal_id: str) -> int:
    """How many are done, failed or superseded, archived ones too."""
    return int(db.execute(_CLOSED, (goal_id,)).fetchone()[0])


def has_todos(db: sqlite3.Connection, goal_id: str) -> int:
    """1 where the goal has any todo, an archived one too, 0 where it never had any."""
    return int(db.execute(_ANY, (goal_id,)).fetchone()[0])


def open_gates(db: sqlite3.Connection, goal_id: str, limit: int) -> tuple[list[Todo], int]:
    """The first gates without an answer, by rank, and how many there are."""
    total = db.execute(f"SELECT count(*) FROM todos t WHERE {_OPEN_GATES}", (goal_id,)).fetchone()[0]
    where = f"WHERE {_OPEN_GATES} ORDER BY t.priority, t.sequence LIMIT ?"
    return bare_todos(db, where, (goal_id, limit)), int(total)


def held_todos(db: sqlite3.Connection, goal_id: str, now: Instant, limit: int) -> tuple[list[Todo], int]:
    """The first todos that are claimed or under a live lease, by rank, and how many there are."""
    values = {"goal": goal_id, "now": now, "limit": limit}
    total = db.execute(f"SELECT count(*) FROM todos t WHERE {_HELD}", values).fetchone()[0]
    found = bare_todos(db, f"WHERE {_HELD} ORDER BY t.priority, t.sequence LIMIT :limit", values)
    return found, int(total)


def held_by(db: sqlite3.Connection, goal_id: str, agent_id: str, now: Instant) -> int:
    """How many todos of the goal the agent has claimed or leased."""
    return int(db.execute(_OF_AGENT, {"goal": goal_id, "agent": agent_id, "now": now}).fetchone()[0])


def bound_to(db: sqlite3.Connection, goal_id: str, agent_id: str) -> int:
    """How many todos of the goal only this agent may take."""
    rows = db.execute(_UNFINISHED, (goal_id,))
    return sum(count for identity, count in rows if route_of_identity(identity).bound_agent == agent_id)
