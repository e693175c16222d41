"""`compile_decision`: the pure function behind `quota should-run`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.decision import action, view
from loopx.core.decision.admission import incomplete_code
from loopx.core.decision.decision import Decision, Repair, RepairError, RepairKind, Selected
from loopx.core.decision.examine import Examination
from loopx.core.decision.next_command import next_command
from loopx.core.decision.question import user_channel
from loopx.core.decision.reason import Mode, Stage
from loopx.core.decision.sentence import primary_action_of, reason_of
from loopx.core.decision.snapshot import MEMBER_LIMIT, Holding
from loopx.core.peers import select_peer_for_work

if TYPE_CHECKING:
    from loopx.core.closure import GoalClosure
    from loopx.core.decision.case import Case
    from loopx.core.decision.meaning import Verdict
    from loopx.core.decision.snapshot import Caller, Snapshot
    from loopx.core.instant import Instant


def compile_decision(snapshot: Snapshot, caller: Caller, now: Instant) -> Decision:
    """What this agent does now. Total: every valid snapshot reaches exactly one mode.

    AgentNotRegisteredError and GraphInvalidError instead of a decision on nothing.
    """
    examination = Examination(snapshot, caller, now)
    case, survey, verdict = examination.case, examination.survey, examination.verdict()
    blocking, blocking_total = view.blocking(examination)
    bypass, bypass_total = view.bypass(survey, verdict)
    repair = _repair(examination, verdict)
    return Decision(
        state=snapshot.state,
        sequence=snapshot.sequence,
        goal_id=snapshot.goal.goal_id,
        agent_id=caller.agent_id,
        evaluated_at=now,
        mode=verdict.mode,
        reason=reason_of(verdict),
        primary_action=primary_action_of(verdict),
        selected=_selected(case, verdict),
        next_actions=_next_actions(case, verdict, repair),
        delivery_workspace=view.delivery_workspace(case, verdict),
        user=user_channel(survey),
        blocking=blocking,
        blocking_total=blocking_total,
        bypass=bypass,
        bypass_total=bypass_total,
        repair=repair,
        capability_gate=view.capability_gate(survey, verdict),
        workspace_guard=view.workspace_guard(verdict),
        frontier=view.frontier(survey),
        hint=view.scheduler_hint(survey, verdict.mode),
    )


def _selected(case: Case, verdict: Verdict) -> Selected | None:
    """The todo to work on, only in the two modes that work on one; a stale claim binds nobody."""
    found = verdict.subject
    if verdict.mode not in (Mode.BOUNDED_DELIVERY, Mode.MONITOR_POLL) or found is None:
        return None
    if not found.is_mine:
        return Selected(found.head, None, select_peer_for_work(case.peers, found.head.todo_id))
    claim = found.head.claim
    return Selected(found.head, claim.agent_id if claim is not None else None, None)


def _next_actions(case: Case, verdict: Verdict, repair: Repair | None) -> tuple[str, ...]:
    """The agent's commands now; none in a wait, where `scheduler_hint` says when to ask again."""
    found, drop = verdict.subject, verdict.drop
    if repair is not None:
        return repair.next_commands[:1]  # `repair` has them all
    if verdict.mode is Mode.REPLAN:
        return _replanning(case, verdict)
    if found is None:
        return ()
    if verdict.mode in (Mode.BOUNDED_DELIVERY, Mode.MONITOR_POLL):
        return action.work_on(case, found)
    if verdict.mode in (Mode.CAPABILITY_REPAIR, Mode.WORKSPACE_REPAIR) and drop is not None:
        return (next_command(case, found, drop),)
    return ()


def _replanning(case: Case, verdict: Verdict) -> tuple[str, ...]:
    if verdict.closure is not None:
        return (action.plan_more(case), *_settling(case, verdict.closure))
    found = verdict.subject
    if found is None or len(found.drops) > 1 or found.cohort.holding is Holding.LEASED:
        return (action.plan_more(case),)
    return (action.complete(case, found.head), action.plan_more(case))


def _settling(case: Case, closure: GoalClosure) -> tuple[str, ...]:
    """How to close the gap itself where it is no work that is missing."""
    from loopx.core.closure import ClosureCode  # loaded already: the verdict holds one of its values

    settle = {ClosureCode.FOLLOW_UP_UNSTATED: action.settle_gap, ClosureCode.ACCEPTANCE_UNMET: action.accept}
    return tuple(settle[gap.code](case, gap.subjects[0]) for gap in closure.missing if gap.code in settle)


def _repair(examination: Examination, verdict: Verdict) -> Repair | None:
    """What to mend, in the one mode that mends."""
    if verdict.mode is not Mode.CONTROL_PLANE_SELF_REPAIR:
        return None
    if verdict.drop is not None and verdict.drop.stage is Stage.GATE_SCOPE:
        return _gate_repair(examination.case)
    return _graph_repair(examination)


def _gate_repair(case: Case) -> Repair:
    gates = case.gates.incomplete
    return Repair(
        kind=RepairKind.DECISION_SCOPE,
        errors=tuple(RepairError(incomplete_code(gate), user_todo_id=gate.todo_id) for gate in gates[:MEMBER_LIMIT]),
        errors_total=len(gates),
        next_commands=action.state_reach(case, gates[0].todo_id),
    )


def _graph_repair(examination: Examination) -> Repair:
    rows: list[RepairError] = []
    commands: list[str] = []
    total = 0
    for found, drop in examination.survey.repairs():
        total += found.cohort.count
        for member in found.cohort.members[: MEMBER_LIMIT - len(rows)]:
            single = examination.finding_of(found, member)
            own = next((other for other in single.drops if other.stage is drop.stage), drop)
            rows.append(
                RepairError(
                    own.reason_code,
                    todo_id=member.todo_id,
                    user_todo_id=_fact(own.facts.get("gate")),
                    dependency_id=_fact(own.facts.get("dependency")),
                )
            )
            commands.append(next_command(examination.case, single, own))
    return Repair(RepairKind.GRAPH, tuple(rows), total, tuple(dict.fromkeys(commands)))


def _fact(value: object) -> str | None:
    return None if value is None else str(value)
