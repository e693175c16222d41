"""A goal as a plain list of todos, and how the store groups it into what the compiler reads.

Tests describe a world; `snapshot_of` derives from it what the database keeps beside the todos
(unmet dependencies, who is awake, cohorts), so that the oracle can work on the world alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from loopx.core.decision.snapshot import (
    MEMBER_LIMIT,
    USER_TODO_LIMIT,
    BrokenDependency,
    Caller,
    Cohort,
    FollowGap,
    Holding,
    Snapshot,
)
from loopx.core.goal import Agent, Boundary, Goal, GoalState, QuotaPolicy
from loopx.core.instant import DAY, HOUR
from loopx.core.todo import (
    NO_CHANGE_LIMIT,
    Claim,
    Closure,
    Decision,
    Gate,
    Lease,
    Polling,
    Resume,
    Role,
    Route,
    Status,
    TaskClass,
    Todo,
    Verdict,
)

NOW = 1_800_000_000_000_000
D1 = "direction:action:public_api_change"
D2 = "production:action:deploy"
CLAIM_TOKEN = "a-token-that-no-packet-shows"
REPO = "git:github.com/example/project"
_MET = (Closure.COMPLETED, Closure.NO_FOLLOWUP)


@dataclass(frozen=True)
class World:
    """Everything of one goal, and who asks."""

    todos: tuple[Todo, ...] = ()
    agents: tuple[Agent, ...] = (Agent("agent-a"), Agent("agent-b"))
    caller: Caller = field(default_factory=lambda: Caller("agent-a"))
    state: GoalState = GoalState.ACTIVE
    boundary: Boundary = field(default_factory=Boundary)
    quota: QuotaPolicy = field(default_factory=QuotaPolicy)
    authority_words: tuple[str, ...] = ()
    facts: frozenset[str] = frozenset()
    free_pools: frozenset[str] = frozenset()
    unmet_criteria: tuple[str, ...] = ()
    used_slots: int = 0
    used_tokens: int = 0
    used_cost: float = 0.0
    resets_at: int | None = NOW + DAY
    now: int = NOW
    goal_id: str = "lab"

    def asked_by(self, agent_id: str, *capabilities: str, workspace: Any = None) -> World:
        return replace(self, caller=Caller(agent_id, capabilities or None, workspace))

    def with_todos(self, *todos: Todo) -> World:
        return replace(self, todos=todos)

    @property
    def goal(self) -> Goal:
        return Goal(
            self.goal_id,
            "objective",
            state=self.state,
            boundary=self.boundary,
            quota=self.quota,
            agents=self.agents,
            authority_capabilities=self.authority_words,
        )


def todo(number: int, text: str = "work", **fields: Any) -> Todo:
    """An agent todo; routing fields are given beside the others."""
    route = {name: fields.pop(name) for name in Route._fields if name in fields}
    route = {"goal_id": "lab", "task_class": TaskClass.ADVANCEMENT} | route
    base: dict[str, Any] = {
        "todo_id": f"todo_{number:010d}",
        "sequence": number,
        "role": Role.AGENT,
        "status": Status.OPEN,
        "priority": 2,
        "text": text,
        "route": Route(**route),
        "created_at": NOW - DAY,
        "updated_at": NOW - DAY,
    }
    return Todo(**(base | fields))


def gate(number: int, text: str = "may it?", **fields: Any) -> Todo:
    """An open user gate; `scope`, `blocks`, `is_global`, `link` and `answer` describe it."""
    value = Gate(
        decision_scope=fields.pop("scope", None),
        blocks_agent=fields.pop("blocks", None),
        global_gate=fields.pop("is_global", False),
        unblocks_todo_id=fields.pop("link", None),
        decision=fields.pop("answer", None),
    )
    if value.decision is not None:
        fields |= {"status": Status.DONE, "closure": Closure.COMPLETED}
    return todo(number, text, role=Role.USER, task_class=TaskClass.USER_GATE, gate=value, **fields)


def action(number: int, text: str = "please look", **fields: Any) -> Todo:
    return todo(number, text, role=Role.USER, task_class=TaskClass.USER_ACTION, **fields)


def monitor(number: int, *, due_in: int = 0, every: int | None = HOUR, unchanged: int = 0, **fields: Any) -> Todo:
    polling = Polling(NOW + due_in, every, unchanged, fields.pop("expires_at", None))
    return todo(number, "watch", task_class=TaskClass.MONITOR, polling=polling, **fields)


def claimed(value: Todo, agent_id: str, *, expires_in: int = DAY) -> Todo:
    return value._replace(claim=Claim(agent_id, NOW - DAY, NOW + expires_in))


def leased(value: Todo, agent_id: str, *, expires_in: int = HOUR) -> Todo:
    lease = Lease(f"lease_{value.sequence}", value.todo_id, agent_id, 3, NOW - HOUR, NOW + expires_in, CLAIM_TOKEN)
    return value._replace(lease=lease)


def done(value: Todo, closure: Closure = Closure.NO_FOLLOWUP) -> Todo:
    status = Status.DEFERRED if closure is Closure.SUPERSEDED else Status.DONE
    no_followup = closure is Closure.NO_FOLLOWUP
    return value._replace(status=status, closure=closure, no_followup=no_followup)


def answer(verdict: Verdict, *, ago: int = HOUR, standing: bool = False, revoked: bool = False) -> Decision:
    return Decision(verdict, NOW - ago, "user", None, standing, NOW if revoked else None)


# --- what the store derives --------------------------------------------------------------


def snapshot_of(world: World) -> Snapshot:
    """The snapshot that the store would load of this world."""
    todos = [_derived(value, world) for value in world.todos]
    unclosed = [value for value in todos if value.closure is None]
    persons = sorted((value for value in unclosed if value.role is Role.USER), key=lambda value: value.rank)
    opened = [value for value in persons if value.status is Status.OPEN]
    gates = tuple(value for value in persons if value.task_class is TaskClass.USER_GATE)
    answers = _newest_answers(todos)
    cohorts = _cohorts([value for value in unclosed if value.role is Role.AGENT], world, (*gates, *answers))
    return Snapshot(
        state="state_test",
        sequence=len(todos),
        goal=world.goal,
        cohorts=tuple(cohorts),
        gates=gates + answers,
        user_todos=tuple(opened[:USER_TODO_LIMIT]),
        user_open=len(opened),
        broken=tuple(_broken(todos)),
        gaps=tuple(FollowGap(value.todo_id) for value in todos if is_gap(value, todos)),
        unmet_criteria=world.unmet_criteria,
        todo_total=len(todos),
        next_due_at=_earliest(world.now, (m.polling.next_due_at for m in unclosed if m.polling)),
        next_wake_at=_earliest(world.now, (d.resume.at for d in unclosed if d.resume and d.resume.at)),
        used_slots=world.used_slots,
        used_tokens=world.used_tokens,
        used_cost=world.used_cost,
        resets_at=world.resets_at,
        user_asleep=len(persons) - len(opened),
    )


def _derived(value: Todo, world: World) -> Todo:
    closures = [_by_id(world, dependency).closure for dependency in value.blocked_by]
    unmet = [closure for closure in closures if closure not in _MET]
    return value._replace(unmet=len(unmet), broken=len([closure for closure in unmet if closure is not None]))


def _by_id(world: World, todo_id: str) -> Todo:
    return next(value for value in world.todos if value.todo_id == todo_id)


def _cohorts(todos: list[Todo], world: World, gates: tuple[Todo, ...]) -> list[Cohort]:
    links = {value.gate.unblocks_todo_id for value in gates if value.gate is not None}
    groups: dict[object, list[Todo]] = {}
    for value in sorted(todos, key=lambda value: value.rank):
        key = (*_facts(value, world), value.todo_id if value.todo_id in links else None)
        groups.setdefault(key, []).append(value)
    return [_cohort(members, world) for members in groups.values()]


def _facts(value: Todo, world: World) -> tuple[object, ...]:
    polling = value.polling or Polling(0)
    return (
        value.route,
        value.status,
        value.unmet > 0,
        value.broken > 0,
        *holding_of(value, world),
        is_awake(value, world),
        is_hopeless(value, world),
        value.block_reason is None,
        value.resume is None,
        polling.next_due_at <= world.now,
        polling.consecutive_no_change >= NO_CHANGE_LIMIT,
        polling.poll_every is not None and polling.next_due_at + polling.poll_every <= world.now,
        polling.expires_at is not None and polling.expires_at <= world.now,
    )


def _cohort(members: list[Todo], world: World) -> Cohort:
    head = members[0]
    holding, holder = holding_of(head, world)
    return Cohort(
        members=tuple(members[:MEMBER_LIMIT]),
        count=len(members),
        holding=holding,
        holder=holder,
        free_at=min((at for value in members if (at := _free_at(value, world)) is not None), default=None),
        awake=is_awake(head, world),
        due=head.polling is not None and head.polling.next_due_at <= world.now,
        hopeless=is_hopeless(head, world),
    )


def holding_of(value: Todo, world: World) -> tuple[Holding, str | None]:
    lease = value.live_lease(world.now)
    if lease is not None:
        return Holding.LEASED, lease.holder
    if value.claim is None:
        return Holding.FREE, None
    active = any(agent.agent_id == value.claim.agent_id and not agent.retired for agent in world.agents)
    is_live = active and world.now < value.claim.expires_at
    return (Holding.CLAIMED if is_live else Holding.STALE), value.claim.agent_id


def _free_at(value: Todo, world: World) -> int | None:
    lease = value.live_lease(world.now)
    if lease is not None:
        return lease.expires_at
    return value.claim.expires_at if value.claim is not None else None


def is_awake(value: Todo, world: World) -> bool:
    if value.status is not Status.DEFERRED or value.resume is None:
        return False
    resume = value.resume
    if resume.kind == "at":
        return resume.at is not None and resume.at <= world.now
    if resume.kind == "capacity_available":
        return resume.ref in world.free_pools
    if resume.kind == "pr_merged":
        return resume.text in world.facts
    return _by_id(world, resume.ref).closure in _MET


def is_hopeless(value: Todo, world: World) -> bool:
    if value.status is not Status.DEFERRED or value.resume is None or value.resume.kind != "todo_done":
        return False
    return _by_id(world, value.resume.ref).closure in (Closure.FAILED, Closure.SUPERSEDED)


def is_gap(value: Todo, todos: list[Todo]) -> bool:
    followable = value.task_class in (TaskClass.ADVANCEMENT, TaskClass.MONITOR)
    ends_open = value.status is Status.DONE and not value.no_followup and not value.successors
    followed = any(value.todo_id in other.blocked_by for other in todos)
    return followable and ends_open and not followed


def _newest_answers(todos: list[Todo]) -> tuple[Todo, ...]:
    newest: dict[object, Todo] = {}
    answered = [value for value in todos if value.gate is not None and value.gate.decision is not None]
    for value in sorted(answered, key=lambda value: (_decided_at(value), value.sequence)):
        assert value.gate is not None
        newest["scope", value.gate.decision_scope] = value
        newest["link", value.gate.unblocks_todo_id] = value
    return tuple({value.todo_id: value for value in newest.values()}.values())


def _decided_at(value: Todo) -> int:
    assert value.gate is not None
    assert value.gate.decision is not None
    return value.gate.decision.decided_at


def _broken(todos: list[Todo]) -> list[BrokenDependency]:
    closures = {value.todo_id: value.closure for value in todos}
    codes = {Closure.FAILED: "dependency_failed", Closure.SUPERSEDED: "dependency_superseded"}
    return [
        BrokenDependency(value.todo_id, dependency, codes[closure])
        for value in todos
        if value.closure is None
        for dependency in value.blocked_by
        if (closure := closures[dependency]) in codes and closure is not None
    ]


def _earliest(now: int, instants: Any) -> int | None:
    return min((at for at in instants if at is not None and at > now), default=None)


def resume(kind: str, ref: str) -> Resume:
    return Resume(kind, ref)


def wakes_in(duration: int) -> Resume:
    return Resume("at", "at", NOW + duration)
