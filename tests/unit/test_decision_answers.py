"""What a decision says beside its mode: questions, repairs, counts, commands, when to ask again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from loopx.core.decision.compile import compile_decision
from loopx.core.decision.decision import Cadence, Decision, GateAction, RepairKind
from loopx.core.decision.examine import runnable_cohorts
from loopx.core.decision.reason import CONSEQUENCES, Mode, ReasonCode, Stage
from loopx.core.decision.snapshot import Cohort, Snapshot
from loopx.core.decision.stages import ORDER
from loopx.core.errors import AgentNotRegisteredError, GraphInvalidError
from loopx.core.goal import Agent, QuotaPolicy
from loopx.core.graph import FaultKind, GraphFault
from loopx.core.instant import DAY, HOUR, MINUTE
from loopx.core.todo import Closure, Resume, Status, Todo
from tests.unit.decision_world import (
    D1,
    NOW,
    World,
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
A, B = "agent-a", "agent-b"
P0 = todo(1, "[P0] Change the API", priority=0, required_decision_scopes=(D1,))
P1 = todo(3, "[P1] Smoke", priority=1)
HELD = P0.todo_id
BROWSER = todo(1, required_capabilities=("browser",))
ASKED = gate(2, scope=D1, blocks=A, link=HELD)
GAP = done(todo(1), Closure.COMPLETED)
OUT_OF_SLOTS = replace(TEAM, quota=QuotaPolicy(slots=1), used_slots=1)


def decide(world: World) -> Decision:
    return compile_decision(snapshot_of(world), world.caller, world.now)


def selected_id(decision: Decision) -> str | None:
    return decision.selected.todo.todo_id if decision.selected is not None else None


def deferred(value: Todo, resume: Resume | None) -> Todo:
    return value._replace(status=Status.DEFERRED, resume=resume)


def test_blocked_p0_and_free_p1_use_both_channels() -> None:
    decision = decide(TEAM.with_todos(claimed(P0, A), ASKED, P1))
    assert decision.user.action_required
    assert [question.todo_id for question in decision.user.questions] == [ASKED.todo_id]
    assert decision.should_run
    assert decision.is_safe_bypass
    assert [(row.todo_id, row.decision_scope) for row in decision.bypass] == [(HELD, D1)]


def test_a_bypass_is_stated_only_around_a_higher_priority() -> None:
    equal = TEAM.with_todos(P0._replace(priority=1), ASKED, P1)
    assert not decide(equal).is_safe_bypass


def test_a_peer_sees_the_question_and_is_not_asked_to_bother_the_user() -> None:
    decision = decide(TEAM.with_todos(claimed(P0, A), ASKED, P1).asked_by(B))
    assert len(decision.user.questions) == 1
    assert not decision.user.action_required


def test_questions_that_concern_the_agent_come_first_and_all_are_counted() -> None:
    others = [gate(10 + n, blocks=B, priority=0, scope=f"other:action:k{n}", link=HELD) for n in range(30)]
    decision = decide(TEAM.with_todos(todo(1), gate(2, blocks=A, link=HELD, priority=4), *others))
    assert decision.user.questions[0].todo_id == gate(2).todo_id
    assert decision.user.open_count == 31


def test_the_three_repairs_of_an_incomplete_gate_are_printed_and_none_answers_it() -> None:
    repair = decide(TEAM.with_todos(gate(2))).repair
    assert repair is not None
    assert repair.kind is RepairKind.DECISION_SCOPE
    assert [(error.reason_code, error.user_todo_id) for error in repair.errors] == [
        (ReasonCode.GATE_WITHOUT_REACH, gate(2).todo_id)
    ]
    prefix = f"loopx todo update {gate(2).todo_id} --goal-id lab --agent-id agent-a"
    assert repair.next_commands == (
        f"{prefix} --global-gate",
        f"{prefix} --blocks-agent agent-a",
        f"{prefix} --task-class user_action",
    )


def test_a_missing_tool_that_no_agent_has_is_asked_for() -> None:
    decision = decide(TEAM.with_todos(BROWSER))
    (question,) = decision.user.questions
    assert question.item is None
    assert question.answer_command == "loopx agent register --goal-id lab --agent-id agent-a --capability browser"
    assert decision.user.action_required
    assert decision.user.open_count == 1


def test_a_tool_that_a_peer_has_is_not_asked_for() -> None:
    decision = decide(replace(TEAM, agents=(Agent(A), Agent(B, ("browser",)))).with_todos(BROWSER))
    assert decision.mode is Mode.CAPABILITY_REPAIR
    assert decision.user.questions == ()


def test_the_two_kinds_of_missing_capabilities_have_rows_of_their_own() -> None:
    gate_of = decide(TEAM.with_todos(todo(1, required_capabilities=("browser", "api_token")))).capability_gate
    assert gate_of is not None
    assert gate_of.action is GateAction.REPAIR_BRIDGE
    assert [(row.missing, row.kind.value) for row in gate_of.blocked] == [
        (("browser",), "tool"),
        (("api_token",), "authority"),
    ]


def test_something_runnable_makes_the_capability_gate_run() -> None:
    gate_of = decide(TEAM.with_todos(BROWSER, P1)).capability_gate
    assert gate_of is not None
    assert gate_of.action is GateAction.RUN
    assert gate_of.runnable == (P1.todo_id,)
    assert [row.todo_id for row in gate_of.blocked] == [HELD]


def test_the_capability_gate_is_silent_where_nothing_reaches_it() -> None:
    assert decide(TEAM.with_todos(P0, ASKED)).capability_gate is None


def test_a_peer_is_waited_for_until_the_earliest_expiry() -> None:
    held = (claimed(todo(1), B, expires_in=3 * HOUR), claimed(todo(2), B, expires_in=HOUR))
    hint = decide(TEAM.with_todos(*held)).hint
    assert (hint.next_wake_at, hint.poll_after_seconds, hint.cadence) == (NOW + HOUR, 3600, Cadence.WAIT_UNTIL)


def test_a_sleeping_goal_wakes_at_its_next_instant() -> None:
    hint = decide(TEAM.with_todos(monitor(1, due_in=HOUR), deferred(todo(2), wakes_in(MINUTE + 1)))).hint
    assert hint.next_wake_at == NOW + MINUTE + 1
    assert hint.poll_after_seconds == 61, "rounded up, so that asking then finds it awake"


def test_a_used_budget_wakes_when_its_window_resets() -> None:
    hint = decide(OUT_OF_SLOTS.with_todos(P1)).hint
    assert (hint.next_wake_at, hint.resets_at) == (NOW + DAY, NOW + DAY)


def test_a_window_that_resets_now_is_no_later_instant() -> None:
    hint = decide(replace(OUT_OF_SLOTS, resets_at=NOW).with_todos(P1)).hint
    assert (hint.next_wake_at, hint.cadence) == (None, Cadence.ON_EVENT)


@pytest.mark.parametrize("hold", [lambda value: leased(value, A), lambda value: leased(value, B)])
def test_a_repair_of_what_needs_a_token_or_a_grant_shows_the_todo(hold: Callable[[Todo], Todo]) -> None:
    broken = hold(todo(7, blocked_by=(todo(1).todo_id,)))
    (row,) = decide(TEAM.with_todos(done(todo(1), Closure.FAILED), broken)).blocking
    assert row.next_command == f"loopx todo show {broken.todo_id} --goal-id lab"


def test_unclaimed_work_suggests_a_peer_and_claimed_work_none() -> None:
    free, mine = decide(TEAM.with_todos(P1)).selected, decide(TEAM.with_todos(claimed(P1, A))).selected
    assert free is not None
    assert mine is not None
    assert free.suggested_peer in (A, B)
    assert (mine.suggested_peer, mine.claimed_by) == (None, A)


def test_the_next_command_follows_how_the_todo_is_held() -> None:
    def first(value: Todo) -> str:
        return decide(TEAM.with_todos(value)).next_actions[0].split(" --", 1)[0]

    assert first(P1) == "loopx todo claim"
    assert first(claimed(P1, A)) == "loopx todo complete"
    assert first(leased(P1, A)) == "loopx task-lease renew"
    assert first(deferred(claimed(P1, A), wakes_in(0))) == "loopx todo claim", "claiming opens what has woken"
    assert first(monitor(1)) == f"loopx monitor poll {monitor(1).todo_id}"


def test_a_gap_is_named_and_can_be_settled() -> None:
    decision = decide(TEAM.with_todos(GAP))
    assert decision.reason == f"nothing is open, and {GAP.todo_id} does not say what follows"
    prefix = f"loopx todo update {GAP.todo_id} --goal-id lab --agent-id agent-a"
    assert decision.next_actions == (
        "loopx todo add --goal-id lab --agent-id agent-a --role agent --text -",
        f"{prefix} --no-follow-up --reason -",
    )


def test_many_blocked_p0_do_not_hide_the_one_ready_p3() -> None:
    """Filter first, then cut; the counts are whole."""
    held = [P0._replace(todo_id=f"todo_{n:010d}", sequence=n) for n in range(100, 600)]
    decision = decide(TEAM.with_todos(*held, ASKED, todo(9, priority=3)))
    assert selected_id(decision) == todo(9).todo_id
    assert decision.blocking_total == 500
    assert decision.frontier.blocked == 500


def test_a_hundred_thousand_todos_are_a_cohort() -> None:
    snapshot = snapshot_of(TEAM.with_todos(P1))
    crowd = Cohort(members=(P1,), count=100_000)
    decision = compile_decision(snapshot._replace(cohorts=(crowd,)), TEAM.caller, NOW)
    assert decision.frontier.runnable == 100_000
    assert decision.capability_gate is not None
    assert decision.capability_gate.runnable_count == 100_000


def test_a_monitor_that_is_not_due_is_silent() -> None:
    decision = decide(TEAM.with_todos(P1, monitor(4, due_in=DAY)))
    assert decision.blocking == ()
    assert (decision.frontier.monitors_due, decision.frontier.monitors_waiting) == (0, 1)


def test_a_held_due_monitor_is_no_due_monitor_for_this_agent() -> None:
    frontier = decide(TEAM.with_todos(monitor(1, bound_agent=B))).frontier
    assert (frontier.monitors_due, frontier.monitors_waiting) == (0, 1)


# --- the order and the closed sets --------------------------------------------------------


def test_every_reason_leads_somewhere() -> None:
    assert set(CONSEQUENCES) == set(ReasonCode)


def test_the_stages_stand_in_the_order_of_the_contract() -> None:
    assert tuple(Stage) == ORDER


# --- identity, integrity, candidates ------------------------------------------------------


@pytest.mark.parametrize("agents", [(Agent(A), Agent(B, retired=True)), (Agent(A),)])
def test_an_agent_that_may_not_act_gets_no_decision(agents: tuple[Agent, ...]) -> None:
    with pytest.raises(AgentNotRegisteredError):
        decide(replace(TEAM, agents=agents).with_todos(P1).asked_by(B))


def test_a_mistyped_agent_is_told_the_near_name() -> None:
    with pytest.raises(AgentNotRegisteredError, match="did you mean 'agent-a'"):
        decide(TEAM.asked_by("agnet-a"))


def test_an_invalid_graph_is_an_error_and_never_blocked() -> None:
    broken = snapshot_of(TEAM.with_todos(P1))._replace(faults=(GraphFault(FaultKind.CYCLE, ("x", "y", "x")),))
    with pytest.raises(GraphInvalidError, match="x → y → x"):
        compile_decision(broken, TEAM.caller, NOW)


def candidates(snapshot: Snapshot, world: World, *without: Stage) -> list[str]:
    return [found.head.todo_id for found in runnable_cohorts(snapshot, world.caller, NOW, without=without)]


def test_candidates_alone_are_those_of_the_decision_best_first() -> None:
    world = TEAM.with_todos(todo(5, excluded_agents=(B,)), P1, BROWSER, claimed(todo(8), B))
    assert candidates(snapshot_of(world), world) == [P1.todo_id, todo(5).todo_id]


def test_a_verb_may_leave_stages_out() -> None:
    world = OUT_OF_SLOTS.with_todos(P1)
    assert candidates(snapshot_of(world), world) == []
    assert candidates(snapshot_of(world), world, Stage.BUDGET) == [P1.todo_id]


@pytest.mark.parametrize("bar", [gate(2, is_global=True), gate(2)])
def test_there_are_no_candidates_behind_a_bar(bar: Todo) -> None:
    world = TEAM.with_todos(P1, bar)
    assert candidates(snapshot_of(world), world) == []
