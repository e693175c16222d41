"""Counting a goal's todos, endings and spends: rows of numbers, never whole todos."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.flow import Ending
from loopx.core.todo import Closure, Status, TaskClass
from loopx.core.value import Value
from loopx.store.cohorts import HELD_ROWS, PARTS
from loopx.store.todos import bare_todos

if TYPE_CHECKING:
    from loopx.core.instant import Instant
    from loopx.core.todo import Todo
    from loopx.store.connection import Connection

# Each part by the index that holds it alone; no index is there for counting, since every completion would write it.
_OF_GROUPS = (
    "SELECT t.status, NULL, r.task_class, t.priority, count(*) FROM routes r JOIN todos t ON t.route_id = r.route_id"
    " WHERE r.goal_id = :goal AND {} GROUP BY t.status, r.task_class, t.priority"
)
_PARTS = (PARTS["ready"], "t.status = 'open' AND t.unmet > 0", PARTS["blocked"], PARTS["asleep"])
_COUNTS = (
    "SELECT status, closure, task_class, priority, sum(number) FROM ("
    "SELECT CASE closure WHEN 'superseded' THEN 'deferred' ELSE 'done' END AS status, closure, task_class, priority,"
    " count(*) AS number FROM todos WHERE goal_id = :goal AND closure IS NOT NULL"
    " GROUP BY closure, task_class, priority"
    " UNION ALL SELECT status, NULL, task_class, priority, 1 FROM todos"
    f" WHERE sequence IN ({HELD_ROWS}) AND status = 'open' AND unmet = 0"
    f" UNION ALL {' UNION ALL '.join(_OF_GROUPS.format(part) for part in _PARTS)}"
    ") AS parts GROUP BY status, closure, task_class, priority"
)
_ARCHIVED = "SELECT count(*) FROM archived_todos WHERE goal_id = ?"
# A claim that begins with the completion says who did it, not when that began.
_ENDINGS = (
    "SELECT closure, role = 'agent', created_at, CASE WHEN claimed_at < claim_expires_at THEN claimed_at END, closed_at"
    " FROM todos WHERE goal_id = ? AND closure IS NOT NULL AND closed_at >= ?"
)
# The sign keeps the planner from walking over every closed todo in the order of creation.
_OLDEST = (
    "WHERE t.sequence IN (SELECT sequence FROM todos WHERE goal_id = ? AND status = 'open' ORDER BY +sequence LIMIT ?)"
    " ORDER BY t.sequence"
)
_SPENDS = (
    "SELECT agent_id, spent_at / 86400000000 AS day, count(*), sum(tokens), sum(cost), sum(seconds) FROM spends"
    " WHERE goal_id = ? AND spent_at >= ? GROUP BY agent_id, day ORDER BY agent_id, day"
)


class Tally(Value):
    """How many todos are alike in how they stand, class and priority."""

    status: Status
    closure: Closure | None
    task_class: TaskClass
    priority: int
    number: int


class DaySpend(Value):
    """What one agent spent on one UTC day, counted in days since the epoch."""

    agent_id: str
    day: int
    slots: int
    tokens: int
    cost: float
    seconds: float


def tallies(db: Connection, goal_id: str) -> list[Tally]:
    """All todos of the goal that are not archived, counted."""
    rows = db.execute(_COUNTS, {"goal": goal_id})
    return [Tally(Status(row[0]), Closure(row[1]) if row[1] else None, TaskClass(row[2]), *row[3:]) for row in rows]


def archived_count(db: Connection, goal_id: str) -> int:
    """How many closed todos of the goal are archived."""
    return int(db.execute(_ARCHIVED, (goal_id,)).fetchone()[0])


def endings_since(db: Connection, goal_id: str, since: Instant) -> list[Ending]:
    """What was closed from then on and is not archived."""
    return [Ending(*row) for row in db.execute(_ENDINGS, (goal_id, since))]


def oldest_open(db: Connection, goal_id: str, limit: int) -> list[Todo]:
    """The first open todos, by creation."""
    return bare_todos(db, _OLDEST, (goal_id, limit))


def spends_since(db: Connection, goal_id: str, since: Instant) -> list[DaySpend]:
    """What was spent from then on, by agent and then by day."""
    return [DaySpend(*row) for row in db.execute(_SPENDS, (goal_id, since))]
