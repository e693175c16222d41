"""Values that follow from others and are kept beside them in the same transaction.

Unmet and broken dependency counts, the counts of routing groups, and whether a resume condition
holds: each is recomputed by `doctor`, none is written into an event.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.todo import Closure, Status
from loopx.core.value import Value

if TYPE_CHECKING:
    from loopx.core.todo import Resume, Todo
    from loopx.store.connection import Connection

MET = (Closure.COMPLETED, Closure.NO_FOLLOWUP)

# Archived todos are asked too: a closed todo may wait for one, and an open one may be told to.
_COUNT_DEPENDENCIES = (
    "SELECT count(*) FILTER (WHERE closure IS NULL OR closure IN ('failed', 'superseded')),"
    " count(*) FILTER (WHERE closure IN ('failed', 'superseded')) FROM ("
    "SELECT d.closure FROM edges e JOIN todos d ON d.todo_id = e.dependency_id WHERE e.todo_id = :todo_id"
    " UNION ALL "
    "SELECT a.closure FROM edges e JOIN archived_todos a ON a.todo_id = e.dependency_id WHERE e.todo_id = :todo_id"
    ") AS dependencies"
)
_CLOSURE = (
    "SELECT closure FROM todos WHERE todo_id = :todo_id"
    " UNION ALL SELECT closure FROM archived_todos WHERE todo_id = :todo_id"
)
_MEET = (
    "UPDATE todos SET unmet = unmet - 1 WHERE todo_id IN (SELECT todo_id FROM edges WHERE dependency_id = ?)"
    " RETURNING sequence, todo_id, route_id, status, unmet"
)
_BREAK = "UPDATE todos SET broken = broken + 1 WHERE todo_id IN (SELECT todo_id FROM edges WHERE dependency_id = ?)"
_SHIFT = (
    "UPDATE routes SET open_count = open_count + ?, ready_count = ready_count + ?,"
    " blocked_count = blocked_count + ?, deferred_count = deferred_count + ? WHERE route_id = ?"
)
_SETTLE_WAITERS = "UPDATE todos SET resume_met = ? WHERE closure IS NULL AND resume_kind = ? AND resume_ref = ?"

RouteCounts = tuple[int, int, int, int]  # open, ready, blocked, deferred


FREED: RouteCounts = (0, 1, 0, 0)  # an open todo that has become ready


class Freed(Value):
    """A todo whose last dependency is met; its counts in its group follow."""

    sequence: int
    todo_id: str
    route_id: int


def is_met(closure: Closure | None) -> bool:
    """Whether a dependency of that closure is met (design.md §4)."""
    return closure in MET


def dependency_counts(db: Connection, todo_id: str) -> tuple[int, int]:
    """How many dependencies are unmet, and how many of those can never be met."""
    unmet, broken = db.execute(_COUNT_DEPENDENCIES, {"todo_id": todo_id}).fetchone()
    return unmet, broken


def is_followed(db: Connection, todo_id: str) -> int:
    """1 where the todo has a successor, otherwise 0."""
    sql = "SELECT EXISTS (SELECT 1 FROM lineage WHERE todo_id = ?)"
    return int(db.execute(sql, (todo_id,)).fetchone()[0])


def meet_dependents(db: Connection, todo_id: str) -> list[Freed]:
    """Count the todo as met for all that wait for it; those that are free now, by creation."""
    rows = db.execute(_MEET, (todo_id,)).fetchall()
    freed = [Freed(*row[:3]) for row in rows if row[3:] == (Status.OPEN, 0)]
    return sorted(freed)


def break_dependents(db: Connection, todo_id: str) -> None:
    """Mark that a dependency of all that wait for the todo can never be met."""
    db.execute(_BREAK, (todo_id,))


def settle_waiters(db: Connection, kind: str, ref: str, *, holds: bool) -> None:
    """Record for all that wait on a condition that it holds, or never can."""
    db.execute(_SETTLE_WAITERS, (1 if holds else -1, kind, ref))


def condition_state(db: Connection, resume: Resume | None) -> int:
    """1 where the condition holds for good, -1 where it never can, 0 where it is open.

    `at` and `capacity_available` depend on the moment of asking and stay 0.
    """
    if resume is None or resume.kind not in ("todo_done", "pr_merged"):
        return 0
    if resume.kind == "pr_merged":
        row = db.execute("SELECT 1 FROM facts WHERE fact = ?", (resume.text,)).fetchone()
        return 1 if row else 0
    row = db.execute(_CLOSURE, {"todo_id": resume.ref}).fetchone()
    if row is None or row[0] is None:
        return 0 if row else -1
    return 1 if is_met(Closure(row[0])) else -1


def counts_of(todo: Todo) -> RouteCounts:
    """What the todo adds to the counts of its group."""
    if todo.closure is not None or todo.status is Status.DONE:
        return (0, 0, 0, 0)
    if todo.status is Status.BLOCKED:
        return (0, 0, 1, 0)
    if todo.status is Status.DEFERRED:
        return (0, 0, 0, 1)
    return (1, 1 if todo.unmet == 0 else 0, 0, 0)


class Shifts:
    """What the counts of some groups move by, collected so that each group is written once."""

    def __init__(self) -> None:
        self._by: dict[int, list[int]] = {}

    def add(self, route_id: int, counts: RouteCounts) -> None:
        """A todo of these counts has come into the group."""
        self._by[route_id] = [old + new for old, new in zip(self._by.get(route_id, (0, 0, 0, 0)), counts, strict=True)]

    def take(self, route_id: int, counts: RouteCounts) -> None:
        """A todo of these counts has left it."""
        self.add(route_id, (-counts[0], -counts[1], -counts[2], -counts[3]))

    def store(self, db: Connection) -> None:
        """Add all of it to what is stored."""
        for route_id, by in self._by.items():
            if any(by):
                db.execute(_SHIFT, (*by, route_id))
