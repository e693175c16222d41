"""Reading what the compiler looks at, in one snapshot of the database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.decision.snapshot import (
    MEMBER_LIMIT,
    USER_TODO_LIMIT,
    BrokenDependency,
    Cohort,
    FollowGap,
    Snapshot,
)
from loopx.core.todo import Closure, TaskClass, Verdict
from loopx.store.cohorts import USER_CLASSES, CohortReader, read_groups
from loopx.store.events import last_sequence
from loopx.store.gates import read_gates
from loopx.store.overview import has_todos
from loopx.store.spends import Usage, usage_of
from loopx.store.todos import bare_todos

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from loopx.core.goal import Goal
    from loopx.core.instant import Instant
    from loopx.core.todo import Gate, Todo
    from loopx.store.connection import Connection

_REPAIR_LIMIT = 20  # repair rows that fit a packet several times over
_NEXT_DUE = (
    "SELECT min(next_due_at) FROM todos WHERE goal_id = ? AND next_due_at > ?"
    " AND task_class = 'continuous_monitor' AND status = 'open'"
)
_NEXT_WAKE = "SELECT min(resume_at) FROM todos WHERE goal_id = ? AND resume_at > ? AND closure IS NULL"


def load_snapshot(db: Connection, goal: Goal, *, now: Instant, state: str, members: int = MEMBER_LIMIT) -> Snapshot:
    """Everything that one decision of this goal reads; a view of it may want more `members` of each cohort."""
    gates = read_gates(db, goal.goal_id)
    groups = read_groups(db, goal.goal_id)
    usage = _usage(db, goal, now)
    cohorts = CohortReader(db, goal, now, _linked(gates), members).all(groups)
    return Snapshot(
        state=state,
        sequence=last_sequence(db),
        goal=goal,
        cohorts=tuple(cohorts),
        gates=gates,
        user_todos=tuple(_user_todos(db, goal.goal_id)),
        user_open=sum(
            group.counts["ready"] + group.counts["waiting"]
            for group in groups
            if group.route.task_class in USER_CLASSES
        ),
        user_asleep=sum(
            group.counts["blocked"] + group.counts["asleep"]
            for group in groups
            if group.route.task_class in USER_CLASSES
        ),
        broken=tuple(_broken_dependencies(db, goal.goal_id)),
        gaps=() if cohorts else tuple(follow_gaps(db, goal.goal_id)),
        unmet_criteria=unmet_criteria(db, goal),
        todo_total=has_todos(db, goal.goal_id),
        next_due_at=_first(db, _NEXT_DUE, goal, now),
        next_wake_at=_first(db, _NEXT_WAKE, goal, now),
        used_slots=usage.slots,
        used_tokens=usage.tokens,
        used_cost=usage.cost,
        resets_at=usage.resets_at,
    )


def load_takeable(db: Connection, goal: Goal, *, now: Instant) -> Snapshot:
    """As much as the stages need to find the best todo that nobody leases; all of it where a gate may matter.

    The same todo comes first here and in `load_snapshot`. Expired leases have been settled before.
    """
    groups = read_groups(db, goal.goal_id)
    if any(group.route.task_class is TaskClass.USER_GATE for group in groups):
        return load_snapshot(db, goal, now=now, state="")
    usage = _usage(db, goal, now)
    return Snapshot(
        state="",
        sequence=0,
        goal=goal,
        cohorts=tuple(CohortReader(db, goal, now, []).takeable(groups)),
        gates=(),
        user_todos=(),
        user_open=0,
        used_slots=usage.slots,
        used_tokens=usage.tokens,
        used_cost=usage.cost,
    )


def read_cohort_of(db: Connection, goal: Goal, todo: Todo, *, now: Instant) -> Cohort:
    """The cohort that this one agent todo is, with the facts that its stages read."""
    (cohort,) = CohortReader(db, goal, now, [todo.todo_id]).singled_out()
    return cohort._replace(members=(todo,))


def sequences_of(db: Connection, snapshot: Snapshot, cohorts: Iterable[Cohort], *, now: Instant) -> list[int]:
    """The sequences of every todo of these cohorts of the snapshot."""
    reader = CohortReader(db, snapshot.goal, now, _linked(snapshot.gates))
    return [sequence for cohort in cohorts for sequence in reader.sequences(cohort)]


def _linked(gates: tuple[Todo, ...]) -> list[str]:
    """What open and refused gates name: these todos stand alone, since a stage looks at the link."""
    links = {todo.gate.unblocks_todo_id for todo in gates if todo.gate is not None and _may_hold(todo.gate)}
    return sorted(link for link in links if link is not None)


def _may_hold(gate: Gate) -> bool:
    return gate.decision is None or gate.decision.verdict is Verdict.REJECT


def _usage(db: Connection, goal: Goal, now: Instant) -> Usage:
    """What was spent, where the goal sets a limit at all."""
    quota = goal.quota
    if quota.slots is None and quota.tokens is None and quota.cost is None:
        return Usage()
    return usage_of(db, goal.goal_id, quota, now)


def _user_todos(db: Connection, goal_id: str) -> list[Todo]:
    where = (
        "WHERE t.goal_id = ? AND t.role = 'user' AND t.closure IS NULL AND t.status = 'open'"
        " ORDER BY t.priority, t.sequence LIMIT ?"
    )
    return bare_todos(db, where, (goal_id, USER_TODO_LIMIT))


def _broken_dependencies(db: Connection, goal_id: str) -> Iterator[BrokenDependency]:
    sql = (
        "SELECT t.todo_id, d.todo_id, d.closure FROM todos t JOIN edges e ON e.todo_id = t.todo_id"
        " JOIN todos d ON d.todo_id = e.dependency_id WHERE t.goal_id = ? AND t.broken > 0 AND t.closure IS NULL"
        " AND d.closure IN ('failed', 'superseded') ORDER BY t.sequence, e.position LIMIT ?"
    )
    for todo_id, dependency_id, closure in db.execute(sql, (goal_id, _REPAIR_LIMIT)):
        code = "dependency_failed" if closure == Closure.FAILED else "dependency_superseded"
        yield BrokenDependency(todo_id, dependency_id, code)


def follow_gaps(db: Connection, goal_id: str) -> Iterator[FollowGap]:
    """Done work that nothing follows and that does not say so; an open dependent follows it."""
    sql = (
        "SELECT t.todo_id FROM todos t WHERE t.goal_id = ? AND t.status = 'done' AND t.role = 'agent'"
        " AND t.followed = 0 AND t.no_followup = 0 AND t.task_class IN ('advancement_task', 'continuous_monitor')"
        " AND NOT EXISTS (SELECT 1 FROM edges e WHERE e.dependency_id = t.todo_id) ORDER BY t.sequence LIMIT ?"
    )
    return (FollowGap(row[0]) for row in db.execute(sql, (goal_id, _REPAIR_LIMIT)))


def unmet_criteria(db: Connection, goal: Goal) -> tuple[str, ...]:
    """The acceptance criteria of the goal that nothing has met yet (W10.3)."""
    rows = db.execute("SELECT criterion_id FROM criteria_met WHERE goal_id = ?", (goal.goal_id,))
    met = {row[0] for row in rows}
    return tuple(criterion.id for criterion in goal.acceptance if criterion.id not in met)


def _first(db: Connection, sql: str, goal: Goal, now: Instant) -> Instant | None:
    found: Instant | None = db.execute(sql, (goal.goal_id, now)).fetchone()[0]
    return found
