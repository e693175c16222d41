"""The cases that `decision.md` says must come out right, each by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import pytest

from loopx.core.decision.compile import compile_decision
from loopx.core.decision.decision import Decision
from loopx.core.decision.reason import Mode
from loopx.core.goal import Agent, Boundary, GoalState, QuotaPolicy
from loopx.core.instant import DAY, HOUR, MINUTE
from loopx.core.todo import Closure, Resume, Status, TaskClass, Todo, Verdict
from loopx.core.workspace import NOWHERE, Workspace, WorkspaceKind
from tests.unit.decision_world import (
    D1,
    D2,
    NOW,
    REPO,
    World,
    action,
    answer,
    claimed,
    done,
    gate,
    leased,
    monitor,
    snapshot_of,
    todo,
    wakes_in,
)

TEAM = World()
SOLO = World(agents=(Agent("agent-a"),))
P0 = todo(1, "[P0] Change the API", priority=0, required_decision_scopes=(D1,))
P1 = todo(3, "[P1] Smoke", priority=1)
YES, NO = answer(Verdict.APPROVE), answer(Verdict.REJECT)
CANONICAL = Workspace(WorkspaceKind.CANONICAL_CHECKOUT, (REPO,))
LINKED = Workspace(WorkspaceKind.INDEPENDENT_GIT_WORKTREE, (REPO,))
ELSEWHERE = Workspace(WorkspaceKind.INDEPENDENT_GIT_WORKTREE, ("git:github.com/example/other",))
WRITES = todo(1, required_write_scopes=("src/**",), task_repository=REPO)


def decide(world: World) -> Decision:
    return compile_decision(snapshot_of(world), world.caller, world.now)


def selected_id(decision: Decision) -> str | None:
    return decision.selected.todo.todo_id if decision.selected is not None else None


def codes(decision: Decision) -> dict[str, str]:
    return {row.todo_id: row.reason_code.value for row in decision.blocking}


def d1_gate(number: int = 2, **fields: Any) -> Todo:
    return gate(number, **({"scope": D1, "blocks": "agent-a"} | fields))


class Case(NamedTuple):
    claim: str
    world: World
    mode: Mode
    selected: Todo | None = None
    codes: dict[str, str] = {}  # noqa: RUF012  # read only


def failed(value: Todo) -> Todo:
    return done(value, Closure.FAILED)


def superseded(value: Todo) -> Todo:
    return done(value, Closure.SUPERSEDED)


def deferred(value: Todo, resume: Resume | None) -> Todo:
    return value._replace(status=Status.DEFERRED, resume=resume)


def blocked(value: Todo, reason: str | None = None) -> Todo:
    return value._replace(status=Status.BLOCKED, block_reason=reason)


def blocker(number: int, reason: str | None = "the API is down") -> Todo:
    return todo(number, task_class=TaskClass.BLOCKER, block_reason=reason)


A, B = "agent-a", "agent-b"
HELD, OTHER = P0.todo_id, todo(7).todo_id

GATES = [
    Case("P0 gated and P1 free", TEAM.with_todos(P0, d1_gate(), P1), Mode.BOUNDED_DELIVERY, P1, {HELD: "gate_open"}),
    Case("everything gated", TEAM.with_todos(P0, d1_gate()), Mode.USER_GATE, None, {HELD: "gate_open"}),
    Case(
        "gate answered yes, its requirement consumed",
        TEAM.with_todos(todo(1, priority=0), d1_gate(answer=YES), P1),
        Mode.BOUNDED_DELIVERY,
        todo(1),
    ),
    Case(
        "gate answered no",
        TEAM.with_todos(P0, d1_gate(answer=NO, link=HELD)),
        Mode.CONTROL_PLANE_SELF_REPAIR,
        None,
        {HELD: "decision_rejected"},
    ),
    Case(
        "a no without any scope still holds what the gate named",
        TEAM.with_todos(todo(1), gate(2, blocks=A, link=HELD, answer=NO)),
        Mode.CONTROL_PLANE_SELF_REPAIR,
        None,
        {HELD: "decision_rejected"},
    ),
    Case(
        "a no that is asked again waits for the new answer",
        TEAM.with_todos(P0, d1_gate(answer=NO, link=HELD), d1_gate(4, link=HELD)),
        Mode.USER_GATE,
        None,
        {HELD: "gate_open"},
    ),
    Case(
        "two gates, one answered",
        TEAM.with_todos(todo(1, required_decision_scopes=(D2,)), d1_gate(answer=YES), gate(4, scope=D2, blocks=A)),
        Mode.USER_GATE,
        None,
        {HELD: "gate_open"},
    ),
    Case(
        "a user action that mentions the scope decides nothing",
        TEAM.with_todos(P0, done(action(2, f"look at {D1}"))),
        Mode.CONTROL_PLANE_SELF_REPAIR,
        None,
        {HELD: "decision_scope_without_gate"},
    ),
    Case(
        "an unscoped gate with one agent holds nothing that does not need it",
        SOLO.with_todos(P1, gate(2, scope=D1)),
        Mode.BOUNDED_DELIVERY,
        P1,
    ),
    Case(
        "an unscoped gate with one agent holds what needs it",
        SOLO.with_todos(P0, gate(2, scope=D1)),
        Mode.USER_GATE,
        None,
        {HELD: "gate_open"},
    ),
    Case(
        "an unscoped gate in a team is repaired first",
        TEAM.with_todos(P1, gate(2, scope=D1)),
        Mode.CONTROL_PLANE_SELF_REPAIR,
        None,
        {P1.todo_id: "multi_agent_user_gate_missing_scope"},
    ),
    Case(
        "a gate that names a retired agent holds nobody and is repaired",
        replace(TEAM, agents=(*TEAM.agents, Agent("agent-c", retired=True))).with_todos(P1, gate(2, blocks="agent-c")),
        Mode.CONTROL_PLANE_SELF_REPAIR,
        None,
        {P1.todo_id: "user_gate_blocks_inactive_agent"},
    ),
    Case(
        "a global gate holds everybody",
        TEAM.with_todos(P1, gate(2, is_global=True)).asked_by(B),
        Mode.USER_GATE,
        None,
        {P1.todo_id: "global_gate_open"},
    ),
    Case(
        "a global gate leaves a due monitor its poll",
        TEAM.with_todos(P1, gate(2, is_global=True), monitor(4)),
        Mode.MONITOR_POLL,
        monitor(4),
    ),
    Case(
        "a gate on the agent with neither link nor a todo that needs it holds the lane",
        TEAM.with_todos(P1, gate(2, scope=D1, blocks=A)),
        Mode.USER_GATE,
        None,
        {P1.todo_id: "lane_gate_open"},
    ),
    Case("that lane is not the peer's", TEAM.with_todos(P1, gate(2, blocks=A)).asked_by(B), Mode.BOUNDED_DELIVERY, P1),
    Case(
        "a gate with a link holds what it names and not the lane",
        TEAM.with_todos(todo(1), P1, gate(2, blocks=A, link=HELD)),
        Mode.BOUNDED_DELIVERY,
        P1,
        {HELD: "gate_open"},
    ),
    Case(
        "a link holds only the agent that the gate names",
        TEAM.with_todos(todo(1), gate(2, blocks=A, link=HELD)).asked_by(B),
        Mode.BOUNDED_DELIVERY,
        todo(1),
    ),
    Case(
        "what only a peer's gate decides is waited for, without bothering the user",
        TEAM.with_todos(P0, d1_gate(link=HELD)).asked_by(B),
        Mode.WAIT_PEERS,
        None,
        {HELD: "peer_gate_open"},
    ),
    Case(
        "a standing yes covers a later todo",
        TEAM.with_todos(P0, d1_gate(answer=answer(Verdict.APPROVE, standing=True))),
        Mode.BOUNDED_DELIVERY,
        P0,
    ),
    Case(
        "a revoked one does not",
        TEAM.with_todos(P0, d1_gate(answer=answer(Verdict.APPROVE, standing=True, revoked=True))),
        Mode.CONTROL_PLANE_SELF_REPAIR,
        None,
        {HELD: "decision_scope_without_gate"},
    ),
    Case(
        "the newest answer wins",
        TEAM.with_todos(
            P0,
            d1_gate(2, answer=answer(Verdict.APPROVE, standing=True, ago=HOUR)),
            d1_gate(4, answer=answer(Verdict.REJECT, ago=MINUTE)),
        ),
        Mode.CONTROL_PLANE_SELF_REPAIR,
        None,
        {HELD: "decision_rejected"},
    ),
    Case(
        "a coarser gate covers a finer requirement",
        TEAM.with_todos(P0, d1_gate(scope="direction:goal:public_api_change")),
        Mode.USER_GATE,
        None,
        {HELD: "gate_open"},
    ),
    Case(
        "work that waits for a gate as a dependency waits for the user",
        TEAM.with_todos(d1_gate(2, blocks=A, link=OTHER), todo(7, blocked_by=(d1_gate(2).todo_id,))),
        Mode.USER_GATE,
        None,
    ),
]

BROWSER = todo(1, required_capabilities=("browser",))
SECRET = todo(2, required_capabilities=("production_credential",))
CAPABILITIES = [
    Case("a missing tool", TEAM.with_todos(BROWSER), Mode.CAPABILITY_REPAIR, None, {HELD: "capability_missing"}),
    Case("a missing credential", TEAM.with_todos(SECRET), Mode.OWNER_AUTHORIZATION),
    Case("one of each asks for the tool first", TEAM.with_todos(SECRET, BROWSER), Mode.CAPABILITY_REPAIR),
    Case(
        "a due monitor is polled meanwhile",
        TEAM.with_todos(BROWSER, SECRET, monitor(4)),
        Mode.MONITOR_POLL,
        monitor(4),
    ),
    Case("a declared tool counts", TEAM.with_todos(BROWSER).asked_by(A, "browser"), Mode.BOUNDED_DELIVERY, BROWSER),
    Case(
        "a declared credential authorises nothing",
        TEAM.with_todos(SECRET).asked_by(A, "production_credential"),
        Mode.OWNER_AUTHORIZATION,
    ),
    Case(
        "a registered one does",
        replace(TEAM, agents=(Agent(A, ("production_credential",)), Agent(B))).with_todos(SECRET),
        Mode.BOUNDED_DELIVERY,
        SECRET,
    ),
    Case(
        "the registry may add words",
        replace(TEAM, authority_words=("warehouse",)).with_todos(todo(1, required_capabilities=("warehouse_write",))),
        Mode.OWNER_AUTHORIZATION,
    ),
]


def placed(workspace: Workspace | None) -> World:
    return TEAM.with_todos(WRITES).asked_by(A, workspace=workspace)


PLACES = [
    Case("the canonical checkout", placed(CANONICAL), Mode.WORKSPACE_REPAIR),
    Case("a linked worktree", placed(LINKED), Mode.BOUNDED_DELIVERY, WRITES),
    Case("a foreign repository", placed(ELSEWHERE), Mode.WORKSPACE_REPAIR),
    Case("no git at all", placed(NOWHERE), Mode.WORKSPACE_REPAIR),
    Case("a place that was not looked at", placed(None), Mode.BOUNDED_DELIVERY, WRITES),
    Case(
        "one agent only",
        SOLO.with_todos(WRITES).asked_by(A, workspace=CANONICAL),
        Mode.BOUNDED_DELIVERY,
        WRITES,
    ),
    Case(
        "a repository without write scopes is read-only work",
        TEAM.with_todos(todo(1, task_repository=REPO)).asked_by(A, workspace=NOWHERE),
        Mode.BOUNDED_DELIVERY,
        todo(1),
    ),
]

HOLDING = [
    Case("a claim that is live by one microsecond", TEAM.with_todos(claimed(P1, B, expires_in=1)), Mode.WAIT_PEERS),
    Case(
        "a claim that is stale from now on",
        TEAM.with_todos(claimed(P1, B, expires_in=0)),
        Mode.BOUNDED_DELIVERY,
        P1,
    ),
    Case("a lease that lives one microsecond", TEAM.with_todos(leased(P1, B, expires_in=1)), Mode.WAIT_PEERS),
    Case("a lease that expires exactly now", TEAM.with_todos(leased(P1, B, expires_in=0)), Mode.BOUNDED_DELIVERY, P1),
    Case("the caller's own lease is delivered", TEAM.with_todos(leased(P1, A)), Mode.BOUNDED_DELIVERY, P1),
    Case(
        "excluded and claimed by the same agent fails closed",
        TEAM.with_todos(claimed(todo(1, excluded_agents=(A,)), A)),
        Mode.WAIT_PEERS,
        None,
        {HELD: "agent_excluded"},
    ),
    Case(
        "bound to another",
        TEAM.with_todos(todo(1, bound_agent=B)),
        Mode.WAIT_PEERS,
        None,
        {HELD: "bound_elsewhere"},
    ),
    Case(
        "bound to a retired agent is a repair",
        replace(TEAM, agents=(*TEAM.agents, Agent("agent-c", retired=True))).with_todos(todo(1, bound_agent="agent-c")),
        Mode.CONTROL_PLANE_SELF_REPAIR,
        None,
        {HELD: "no_eligible_agent"},
    ),
    Case(
        "everybody excluded is a repair",
        TEAM.with_todos(todo(1, excluded_agents=(A, B))),
        Mode.CONTROL_PLANE_SELF_REPAIR,
        None,
        {HELD: "no_eligible_agent"},
    ),
    Case(
        "a retired agent's claim binds nobody",
        replace(TEAM, agents=(Agent(A), Agent(B, retired=True))).with_todos(claimed(P1, B)),
        Mode.BOUNDED_DELIVERY,
        P1,
    ),
    Case(
        "mine comes before unclaimed of the same priority",
        TEAM.with_todos(todo(1), claimed(todo(2), A)),
        Mode.BOUNDED_DELIVERY,
        todo(2),
    ),
    Case(
        "priority comes before mine",
        TEAM.with_todos(todo(1, priority=1), claimed(todo(2), A)),
        Mode.BOUNDED_DELIVERY,
        todo(1),
    ),
]

ROOT = todo(1)
WAITS = todo(7, blocked_by=(ROOT.todo_id,))
DEPENDENCIES = [
    Case("dependency done", TEAM.with_todos(done(ROOT), WAITS), Mode.BOUNDED_DELIVERY, WAITS),
    Case("dependency open: its root is work", TEAM.with_todos(ROOT, WAITS), Mode.BOUNDED_DELIVERY, ROOT),
    Case("dependency in progress elsewhere", TEAM.with_todos(claimed(ROOT, B), WAITS), Mode.WAIT_PEERS),
    Case(
        "dependency failed",
        TEAM.with_todos(failed(ROOT), WAITS),
        Mode.CONTROL_PLANE_SELF_REPAIR,
        None,
        {OTHER: "dependency_failed"},
    ),
    Case(
        "dependency superseded without replacement",
        TEAM.with_todos(superseded(ROOT), WAITS),
        Mode.CONTROL_PLANE_SELF_REPAIR,
        None,
        {OTHER: "dependency_superseded"},
    ),
    Case(
        "dependency superseded with a replacement",
        TEAM.with_todos(superseded(ROOT), todo(2), todo(7, blocked_by=(todo(2).todo_id,))),
        Mode.BOUNDED_DELIVERY,
        todo(2),
    ),
    Case(
        "a broken dependency of what a peer holds is the peer's repair",
        TEAM.with_todos(failed(ROOT), claimed(WAITS, B)),
        Mode.WAIT_PEERS,
        None,
        {OTHER: "dependency_failed"},
    ),
    Case(
        "a root behind a gate leads to the gate",
        TEAM.with_todos(P0, d1_gate(), todo(7, blocked_by=(HELD,))),
        Mode.USER_GATE,
    ),
    Case(
        "a root that is a person's action is waited for quietly",
        TEAM.with_todos(action(2), todo(7, blocked_by=(action(2).todo_id,))),
        Mode.QUIET_WAIT,
    ),
    Case("blocked with a reason", TEAM.with_todos(blocked(P1, "no disk")), Mode.QUIET_WAIT),
    Case(
        "blocked with links that are all closed",
        TEAM.with_todos(done(ROOT), blocked(WAITS)),
        Mode.CONTROL_PLANE_SELF_REPAIR,
        None,
        {OTHER: "blocked_without_cause"},
    ),
    Case("a blocker with a fact", TEAM.with_todos(blocker(1)), Mode.QUIET_WAIT),
    Case("a blocker without one", TEAM.with_todos(blocker(1, None)), Mode.CONTROL_PLANE_SELF_REPAIR),
]


def awaiting(value: Todo, ref: str) -> tuple[Todo, Todo]:
    return value, deferred(todo(7), Resume("todo_done", ref))


RESUMES = [
    Case("todo_done holds", TEAM.with_todos(*awaiting(done(ROOT), HELD)), Mode.BOUNDED_DELIVERY, todo(7)),
    Case("todo_done not yet", TEAM.with_todos(*awaiting(claimed(ROOT, B), HELD)), Mode.WAIT_PEERS),
    Case(
        "todo_done of a superseded todo can never hold",
        TEAM.with_todos(*awaiting(superseded(ROOT), HELD)),
        Mode.CONTROL_PLANE_SELF_REPAIR,
        None,
        {OTHER: "resume_unsatisfiable"},
    ),
    Case(
        "pr_merged holds",
        replace(TEAM, facts=frozenset(("pr_merged:42",))).with_todos(deferred(P1, Resume("pr_merged", "42"))),
        Mode.BOUNDED_DELIVERY,
        P1,
    ),
    Case("pr_merged not yet", TEAM.with_todos(deferred(P1, Resume("pr_merged", "42"))), Mode.QUIET_WAIT),
    Case(
        "capacity_available holds",
        replace(TEAM, free_pools=frozenset(("gpu",))).with_todos(deferred(P1, Resume("capacity_available", "gpu"))),
        Mode.BOUNDED_DELIVERY,
        P1,
    ),
    Case("no capacity", TEAM.with_todos(deferred(P1, Resume("capacity_available", "gpu"))), Mode.QUIET_WAIT),
    Case("its time has come", TEAM.with_todos(deferred(P1, wakes_in(0))), Mode.BOUNDED_DELIVERY, P1),
    Case("its time comes in a microsecond", TEAM.with_todos(deferred(P1, wakes_in(1))), Mode.QUIET_WAIT),
    Case("no condition at all", TEAM.with_todos(deferred(P1, None)), Mode.CONTROL_PLANE_SELF_REPAIR),
]

LOW = {"priority": 2, "every": HOUR}
MONITORS = [
    Case("due now", TEAM.with_todos(monitor(1)), Mode.MONITOR_POLL, monitor(1)),
    Case("due in a microsecond", TEAM.with_todos(monitor(1, due_in=1)), Mode.QUIET_WAIT),
    Case("a due monitor below the work waits", TEAM.with_todos(monitor(1, **LOW), P1), Mode.BOUNDED_DELIVERY, P1),
    Case(
        "but not for a whole interval",
        TEAM.with_todos(monitor(1, due_in=-HOUR, **LOW), P1),
        Mode.MONITOR_POLL,
        monitor(1),
    ),
    Case(
        "a microsecond short of the interval the work goes on",
        TEAM.with_todos(monitor(1, due_in=1 - HOUR, **LOW), P1),
        Mode.BOUNDED_DELIVERY,
        P1,
    ),
    Case("a due monitor above the work", TEAM.with_todos(monitor(1, priority=0), P1), Mode.MONITOR_POLL, monitor(1)),
    Case(
        "the overdue one is polled, not the best",
        TEAM.with_todos(P1, monitor(4, priority=2), monitor(5, priority=3, due_in=-HOUR)),
        Mode.MONITOR_POLL,
        monitor(5),
    ),
    Case(
        "no-change counts are each monitor's own",
        TEAM.with_todos(monitor(1, due_in=HOUR, unchanged=9), monitor(2, due_in=HOUR, unchanged=9)),
        Mode.QUIET_WAIT,
    ),
    Case(
        "one at its limit asks for a plan",
        TEAM.with_todos(monitor(1, due_in=HOUR, unchanged=9), monitor(2, due_in=HOUR, unchanged=10)),
        Mode.REPLAN,
    ),
    Case(
        "a repair comes before a new plan for a monitor",
        TEAM.with_todos(monitor(2, due_in=HOUR, unchanged=10), todo(3, excluded_agents=(A, B))),
        Mode.CONTROL_PLANE_SELF_REPAIR,
    ),
    Case(
        "one at its limit is still polled when due",
        TEAM.with_todos(monitor(2, unchanged=10)),
        Mode.MONITOR_POLL,
        monitor(2),
    ),
    Case(
        "past its end it is a repair",
        TEAM.with_todos(monitor(1, expires_at=NOW)),
        Mode.CONTROL_PLANE_SELF_REPAIR,
    ),
    Case("a monitor that excludes the agent", TEAM.with_todos(monitor(1, excluded_agents=(A,))), Mode.WAIT_PEERS),
    Case(
        "a monitor that needs a credential",
        TEAM.with_todos(monitor(1, required_capabilities=("github_token",))),
        Mode.OWNER_AUTHORIZATION,
    ),
]


def budget(**fields: Any) -> World:
    return replace(TEAM, quota=QuotaPolicy(slots=1, tokens=100), **fields)


BUDGETS = [
    Case("one slot left", budget().with_todos(P1), Mode.BOUNDED_DELIVERY, P1),
    Case("no slot left", budget(used_slots=1).with_todos(P1), Mode.QUOTA_WAIT, None, {P1.todo_id: "slots_used"}),
    Case("the window rolled over", budget(used_slots=0).with_todos(P1), Mode.BOUNDED_DELIVERY, P1),
    Case("no tokens left", budget(used_tokens=100).with_todos(P1), Mode.QUOTA_WAIT),
    Case("a poll costs nothing", budget(used_slots=1).with_todos(P1, monitor(9)), Mode.MONITOR_POLL, monitor(9)),
]

END = done(todo(1))
GAP = done(todo(1), Closure.COMPLETED)
FENCED = replace(TEAM, boundary=Boundary((REPO,), ("src/**",)))
ENDS = [
    Case("nothing open, no follow-up stated", TEAM.with_todos(END), Mode.TERMINAL_NO_FOLLOWUP),
    Case("nothing open, nothing stated", TEAM.with_todos(GAP), Mode.REPLAN),
    Case(
        "a done todo whose only follower is an open dependent",
        TEAM.with_todos(GAP, WAITS),
        Mode.BOUNDED_DELIVERY,
        WAITS,
    ),
    Case(
        "a done todo whose only follower is a done dependent",
        TEAM.with_todos(GAP, done(WAITS)),
        Mode.TERMINAL_NO_FOLLOWUP,
    ),
    Case("unmet acceptance", replace(TEAM, unmet_criteria=("A1",)).with_todos(END), Mode.REPLAN),
    Case("an empty graph", TEAM, Mode.REPLAN),
    Case("paused", replace(TEAM, state=GoalState.PAUSED).with_todos(P1), Mode.PAUSED),
    Case("closed", replace(TEAM, state=GoalState.CLOSED).with_todos(END), Mode.TERMINAL_NO_FOLLOWUP),
    Case("only a person's action is open", TEAM.with_todos(END, action(2)), Mode.QUIET_WAIT),
    Case("only a sleeping action", TEAM.with_todos(END, deferred(action(2), wakes_in(DAY))), Mode.QUIET_WAIT),
    Case("only an undirected question of one agent", SOLO.with_todos(END, gate(2)), Mode.USER_GATE),
    Case("only a peer's question", TEAM.with_todos(END, gate(2, blocks=B)), Mode.WAIT_PEERS),
    Case(
        "outside the boundary: another repository",
        FENCED.with_todos(todo(1, task_repository="git:github.com/example/other")),
        Mode.CONTROL_PLANE_SELF_REPAIR,
        None,
        {HELD: "outside_goal_boundary"},
    ),
    Case(
        "outside the boundary: another folder",
        FENCED.with_todos(todo(1, task_repository=REPO, required_write_scopes=("src/a.py", "docs/**"))),
        Mode.CONTROL_PLANE_SELF_REPAIR,
        None,
        {HELD: "outside_goal_boundary"},
    ),
    Case(
        "inside the boundary",
        FENCED.with_todos(todo(1, task_repository=REPO, required_write_scopes=("src/a.py",))),
        Mode.BOUNDED_DELIVERY,
        todo(1),
    ),
]

ALL = [*GATES, *CAPABILITIES, *PLACES, *HOLDING, *DEPENDENCIES, *RESUMES, *MONITORS, *BUDGETS, *ENDS]


@pytest.mark.parametrize("case", ALL, ids=[case.claim.replace(" ", "_") for case in ALL])
def test_it_comes_out_right(case: Case) -> None:
    decision = decide(case.world)
    assert decision.mode is case.mode, (decision.reason, codes(decision))
    assert selected_id(decision) == (case.selected.todo_id if case.selected else None)
    assert case.codes.items() <= codes(decision).items()
