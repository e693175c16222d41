"""Cutting a goal's agent todos into cohorts: groups and their best-ranked members, never all todos.

Where todos are few by nature (held, awake, monitors, broken, linked to a gate) one window query cuts
them by every fact that a stage reads. Where they may be a hundred thousand (free, waiting, blocked,
asleep) only the first members of each group are read from its index, and the kept counts say how many
there are.
"""

from __future__ import annotations

import json
from functools import cached_property
from typing import TYPE_CHECKING, Any

from loopx.core.decision.snapshot import MEMBER_LIMIT, Cohort, Holding
from loopx.core.todo import NO_CHANGE_LIMIT, Route, Status, TaskClass
from loopx.core.value import Value
from loopx.store.resume import pools_with_room
from loopx.store.todo_row import FROM, SELECT, route_identity, route_of_identity, todo_of_row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from loopx.core.goal import Goal
    from loopx.core.instant import Instant
    from loopx.core.todo import Todo
    from loopx.store.connection import Connection

_MANY_ROUTES = 40  # beyond this only the head of each group is read, so that cost stays flat

USER_CLASSES = (TaskClass.USER_GATE, TaskClass.USER_ACTION)

_HOLDING = (
    "CASE WHEN t.lease_expires_at > :now THEN 'leased' WHEN t.claimed_by IS NULL THEN 'free'"
    " WHEN t.claim_expires_at > :now AND t.claimed_by IN (SELECT value FROM json_each(:active)) THEN 'claimed'"
    " ELSE 'stale' END"
)
_HOLDER = "CASE WHEN t.lease_expires_at > :now THEN t.lease_holder ELSE t.claimed_by END"
_FREE_AT = (
    "CASE WHEN t.lease_expires_at > :now THEN t.lease_expires_at"
    " WHEN t.claimed_by IS NOT NULL THEN t.claim_expires_at END"
)
_AWAKE = (
    "coalesce(t.resume_met = 1 OR t.resume_at <= :now"
    " OR (t.resume_kind = 'capacity_available' AND t.resume_ref IN (SELECT value FROM json_each(:pools))), false)"
)
_STIRRED = f"({_AWAKE} OR t.resume_met = -1)"
_SINGLE = "t.todo_id IN (SELECT value FROM json_each(:single))"
# Whose condition holds, or never can, found by one index for each kind of condition.
_STIRRED_ROWS = (
    "SELECT sequence FROM todos WHERE goal_id = :goal AND closure IS NULL AND resume_met <> 0"
    " UNION SELECT sequence FROM todos WHERE goal_id = :goal AND closure IS NULL AND resume_at <= :now"
    " UNION SELECT sequence FROM todos WHERE +goal_id = :goal AND closure IS NULL"
    " AND resume_kind = 'capacity_available' AND resume_ref IN (SELECT value FROM json_each(:pools))"
)

# What is few by nature. A todo is in at most one of these.
_SOFT = "goal_id = :goal AND claimed_by IS NOT NULL AND lease_id IS NULL AND closure IS NULL"
_SOFT_READY = f"{_SOFT} AND status = 'open' AND unmet = 0"
HELD_ROWS = (  # all of the goal that is claimed or leased, over or not
    f"SELECT sequence FROM todos WHERE {_SOFT}"
    " UNION ALL SELECT sequence FROM todos WHERE lease_id IS NOT NULL AND +goal_id = :goal"
)
_AGENTS_READY = (
    "t.status = 'open' AND t.unmet = 0"
    f" AND t.role = 'agent' AND t.task_class <> 'continuous_monitor' AND NOT {_STIRRED}"
)
_HELD = f"t.sequence IN ({HELD_ROWS}) AND {_AGENTS_READY}"
_SOFTLY_HELD = f"t.sequence IN (SELECT sequence FROM todos WHERE {_SOFT_READY}) AND {_AGENTS_READY}"
_MONITORS = "t.goal_id = :goal AND t.task_class = 'continuous_monitor' AND t.status = 'open'"
_BROKEN = (
    "t.goal_id = :goal AND t.broken > 0 AND t.closure IS NULL AND t.status = 'open' AND t.role = 'agent'"
    f" AND t.task_class <> 'continuous_monitor' AND NOT {_STIRRED}"
)
_STIRRING = f"t.sequence IN ({_STIRRED_ROWS}) AND t.role = 'agent' AND t.task_class <> 'continuous_monitor'"

# What may be many: the part of a group, each with an index of its own.
PARTS = {
    "ready": "t.status = 'open' AND t.unmet = 0 AND t.claimed_by IS NULL AND t.lease_id IS NULL",
    "waiting": "t.status = 'open' AND t.unmet > 0 AND t.broken = 0",
    "blocked": "t.status = 'blocked'",
    "asleep": "t.status = 'deferred' AND t.closure IS NULL",
}

_FREE_HEAD = f"{SELECT} {FROM} WHERE t.route_id = ? AND {PARTS['ready']} ORDER BY t.priority, t.sequence LIMIT 1"
_FEW = (
    f"SELECT EXISTS (SELECT 1 FROM todos WHERE {_SOFT_READY}),"
    " EXISTS (SELECT 1 FROM todos WHERE +goal_id = :goal AND closure IS NULL AND resume_kind IS NOT NULL)"
)

# Two todos are in the same cohort when all of these are equal; a singled-out one is its own.
_PARTITION = (
    f"t.route_id, t.status, t.unmet > 0, t.broken > 0, {_HOLDING}, {_HOLDER}, {_AWAKE}, t.resume_met,"
    " t.block_reason IS NULL, t.resume_kind IS NULL, t.next_due_at <= :now,"
    " t.consecutive_no_change >= :no_change, coalesce(t.next_due_at + t.poll_every <= :now, false),"
    f" coalesce(t.monitor_expires_at <= :now, false), CASE WHEN {_SINGLE} THEN t.sequence ELSE 0 END"
)
_EXTRA = (
    f"{_HOLDING}, {_HOLDER}, {_AWAKE}, t.resume_met, coalesce(t.next_due_at <= :now, false),"
    f" count(*) OVER same, min({_FREE_AT}) OVER same,"
    f" row_number() OVER (PARTITION BY {_PARTITION} ORDER BY t.priority, t.sequence) AS place,"
    f" dense_rank() OVER (ORDER BY {_PARTITION}) AS cohort"
)
_WIDTH_OF_EXTRA = 9


class Group(Value):
    """A routing group and its kept counts."""

    route_id: int
    route: Route
    counts: dict[str, int]


def read_groups(db: Connection, goal_id: str) -> list[Group]:
    """The groups of the goal that hold anything that is not closed, and those of its gates, past ones too."""
    sql = (
        "SELECT route_id, identity, ready_count, open_count - ready_count, blocked_count, deferred_count FROM routes"
        " WHERE goal_id = ? AND (open_count + blocked_count + deferred_count > 0 OR task_class = 'user_gate')"
        " ORDER BY route_id"
    )
    return [
        Group(row[0], route_of_identity(row[1]), dict(zip(PARTS, row[2:], strict=True)))
        for row in db.execute(sql, (goal_id,))
    ]


class CohortReader:
    """The cohorts of one goal at one moment; `single` names the todos that stand alone.

    A cohort brings at most `members` of its todos along.
    """

    def __init__(
        self, db: Connection, goal: Goal, now: Instant, single: list[str], members: int = MEMBER_LIMIT
    ) -> None:
        self.db = db
        self.goal = goal
        self.now = now
        self.single = single
        self.most = members

    @cached_property
    def values(self) -> dict[str, Any]:
        """What the conditions above are bound to."""
        return {
            "goal": self.goal.goal_id,
            "now": self.now,
            "active": json.dumps([agent.agent_id for agent in self.goal.active_agents]),
            "pools": json.dumps(sorted(pools_with_room(self.db, self.goal, self.now))),
            "single": json.dumps(self.single),
            "no_change": NO_CHANGE_LIMIT,
        }

    def all(self, groups: list[Group]) -> list[Cohort]:
        """All cohorts of agent todos that are not closed."""
        cohorts = list(self.singled_out()) if self.single else []
        for condition in (_HELD, _MONITORS, _BROKEN, _STIRRING):
            cohorts += self._windowed(f"{condition} AND NOT {_SINGLE}")
        taken: dict[tuple[Route, str], int] = {}
        for cohort in cohorts:
            key = (cohort.head.route, _part_of(cohort.head))
            taken[key] = taken.get(key, 0) + cohort.count
        limit = self.most if len(groups) <= _MANY_ROUTES else self.most // MEMBER_LIMIT
        for group in groups:
            if group.route.task_class not in USER_CLASSES:
                cohorts += self._parts(group, taken, limit)
        return cohorts

    def takeable(self, groups: list[Group]) -> list[Cohort]:
        """The cohorts of which a todo can be ready and under no lease, where no gate is in play.

        Expired leases have been settled. What `all` has beside these is leased, or fails a stage whoever asks; of
        what nobody holds the head alone is read.
        """
        cohorts: list[Cohort] = []
        softly_held, resuming = self.db.execute(_FEW, {"goal": self.goal.goal_id}).fetchone()
        if softly_held:
            cohorts += self._windowed(_SOFTLY_HELD)
        if resuming:
            cohorts += self._windowed(_STIRRING)
        for group in groups:
            if group.counts["ready"] and group.route.task_class is TaskClass.ADVANCEMENT:
                head = self._members(group.route_id, PARTS["ready"], 1) if resuming else self._free_head(group)
                cohorts += [Cohort(members=head, count=1)] if head else []
        return cohorts

    def _free_head(self, group: Group) -> tuple[Todo, ...]:
        """The first member that nobody holds, where nothing waits for a condition and no todo stands alone."""
        rows = self.db.execute(_FREE_HEAD, (group.route_id,))
        return tuple(todo_of_row(row) for row in rows)

    def singled_out(self) -> Iterator[Cohort]:
        """The todos that stand alone, each with all the facts that its stages read."""
        return self._windowed(f"{_SINGLE} AND t.closure IS NULL AND t.role = 'agent'")

    def sequences(self, cohort: Cohort) -> list[int]:
        """The sequences of all todos of a cohort, not of its first members only."""
        if cohort.count == len(cohort.members):
            return [todo.sequence for todo in cohort.members]
        head = cohort.head
        sql = (
            f"SELECT t.sequence {FROM} WHERE r.identity = :identity AND t.status = :status AND t.closure IS NULL"
            f" AND (t.unmet > 0) = :waits AND {_HOLDING} = :holding AND {_HOLDER} IS :holder AND {_AWAKE} = :awake"
            f" AND coalesce(t.next_due_at <= :now, false) = :due AND NOT {_SINGLE}"
        )
        values = {
            **self.values,
            "identity": route_identity(head.route),
            "status": head.status.value,
            "waits": head.unmet > 0,
            "holding": cohort.holding.value,
            "holder": cohort.holder,
            "awake": cohort.awake,
            "due": cohort.due,
        }
        return [row[0] for row in self.db.execute(sql, values)]

    def _parts(self, group: Group, taken: dict[tuple[Route, str], int], limit: int) -> Iterator[Cohort]:
        for part, condition in PARTS.items():
            count = group.counts[part] - taken.get((group.route, part), 0)
            if count > 0:
                members = self._members(group.route_id, condition, limit)
                if members:
                    yield Cohort(members=members, count=max(count, len(members)))

    def _members(self, route_id: int, condition: str, limit: int) -> tuple[Todo, ...]:
        sql = (
            f"{SELECT} {FROM} WHERE t.route_id = :route AND {condition} AND NOT {_STIRRED} AND NOT {_SINGLE}"
            " ORDER BY t.priority, t.sequence LIMIT :limit"
        )
        values = {**self.values, "route": route_id, "limit": limit}
        return tuple(todo_of_row(row) for row in self.db.execute(sql, values))

    def _windowed(self, where: str) -> Iterator[Cohort]:
        sql = (
            f"SELECT * FROM ({SELECT}, {_EXTRA} {FROM} WHERE {where} WINDOW same AS (PARTITION BY {_PARTITION}))"
            f" AS ranked WHERE place <= {self.most} ORDER BY cohort, place"
        )
        rows: dict[int, list[tuple[Any, ...]]] = {}
        for row in self.db.execute(sql, self.values):
            rows.setdefault(row[-1], []).append(row)
        for part in rows.values():
            yield _cohort_of(part)


def _part_of(todo: Todo) -> str:
    if todo.status is Status.BLOCKED:
        return "blocked"
    if todo.status is Status.DEFERRED:
        return "asleep"
    return "waiting" if todo.unmet else "ready"


def _cohort_of(rows: list[tuple[Any, ...]]) -> Cohort:
    holding, holder, awake, met, due, count, free_at = rows[0][-_WIDTH_OF_EXTRA:-2]
    return Cohort(
        members=tuple(todo_of_row(row[:-_WIDTH_OF_EXTRA]) for row in rows),
        count=count,
        holding=Holding(holding),
        holder=None if holding == Holding.FREE else holder,
        free_at=free_at,
        awake=bool(awake),
        hopeless=met < 0,
        due=bool(due),
    )
