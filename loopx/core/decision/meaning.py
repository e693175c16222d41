"""Stages 14–26: what the findings mean. The first row that applies gives the one mode.

Each row is a function `(survey) -> Verdict | None`; `stages.py` has them in their order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.decision.case import Case, Drop
from loopx.core.decision.reason import Consequence, Mode
from loopx.core.decision.survey import Finding, Survey
from loopx.core.todo import Todo
from loopx.core.value import Value

if TYPE_CHECKING:
    from loopx.core.closure import GoalClosure
    from loopx.core.instant import Instant

_SOLE = {
    Consequence.WORKSPACE: Mode.WORKSPACE_REPAIR,
    Consequence.TOOL: Mode.CAPABILITY_REPAIR,
    Consequence.AUTHORITY: Mode.OWNER_AUTHORIZATION,
    Consequence.BUDGET: Mode.QUOTA_WAIT,
    Consequence.REPAIR: Mode.CONTROL_PLANE_SELF_REPAIR,
    Consequence.REPLAN: Mode.REPLAN,
    Consequence.USER: Mode.USER_GATE,
    Consequence.PEERS: Mode.WAIT_PEERS,
    Consequence.QUIET: Mode.QUIET_WAIT,
    Consequence.ROOT: Mode.QUIET_WAIT,
}


class Verdict(Value):
    """The mode, and the finding and obstacle that led to it where there is one."""

    mode: Mode
    subject: Finding | None = None
    drop: Drop | None = None
    gate: Todo | None = None
    closure: GoalClosure | None = None


def urgent_poll(survey: Survey) -> Verdict | None:
    """A due monitor outranks the best candidate, or is overdue by a whole interval."""
    if not survey.works:
        return None
    for found in survey.polls:
        if found.order < survey.works[0].order or _is_overdue(found.head, survey.case.now):
            return Verdict(Mode.MONITOR_POLL, found)
    return None


def _is_overdue(monitor: Todo, now: Instant) -> bool:
    polling = monitor.polling
    if polling is None or polling.poll_every is None:
        return False
    return polling.next_due_at + polling.poll_every <= now


def delivery(survey: Survey) -> Verdict | None:
    """A candidate is left."""
    return Verdict(Mode.BOUNDED_DELIVERY, survey.works[0]) if survey.works else None


def due_poll(survey: Survey) -> Verdict | None:
    """A due monitor is left; it costs nothing and gets one read-only poll (W7.5)."""
    return Verdict(Mode.MONITOR_POLL, survey.polls[0]) if survey.polls else None


def wrong_place(survey: Survey) -> Verdict | None:
    """Some todo's sole remaining obstacle is the place."""
    return _sole(survey, Consequence.WORKSPACE)


def missing_capability(survey: Survey) -> Verdict | None:
    """… is a missing tool; or, where only authority is missing, that (W8.3)."""
    return _sole(survey, Consequence.TOOL) or _sole(survey, Consequence.AUTHORITY)


def used_budget(survey: Survey) -> Verdict | None:
    """… is the window's budget."""
    return _sole(survey, Consequence.BUDGET)


def repair(survey: Survey) -> Verdict | None:
    """Something is stated that can never come true."""
    return _first(Mode.CONTROL_PLANE_SELF_REPAIR, next(survey.repairs(), None))


def unchanged_monitor(survey: Survey) -> Verdict | None:
    """A monitor at its no-change limit, counted for each on its own."""
    return _sole(survey, Consequence.REPLAN)


def open_gate(survey: Survey) -> Verdict | None:
    """… is an open gate that holds this agent."""
    return _sole(survey, Consequence.USER)


def held_by_peers(survey: Survey) -> Verdict | None:
    """Others hold what is left."""
    return _first(Mode.WAIT_PEERS, next(survey.waits_for_peers(), None))


def asleep(survey: Survey) -> Verdict | None:
    """What is left sleeps, has a stated cause, or is a person's action."""
    found = _first(Mode.QUIET_WAIT, next(survey.sleepers(), None))
    return found or (Verdict(Mode.QUIET_WAIT) if _has_open_action(survey.case) else None)


def _has_open_action(case: Case) -> bool:
    """Whether a person's todo beside the gates is left; the list of them may be cut, the counts are not."""
    gates = sum(1 for gate in case.snapshot.gates if not gate.is_closed)
    return case.snapshot.user_open + case.snapshot.user_asleep > gates


def finished(survey: Survey) -> Verdict | None:
    """Nothing is open and the closure is valid, or it has a gap that needs a plan (W10.3)."""
    gates = survey.case.gates
    if survey.findings or gates.holding or gates.others:
        return None
    from loopx.core.closure import ClosureFacts, decide_closure  # only where nothing is left

    snapshot = survey.case.snapshot
    closure = decide_closure(
        ClosureFacts(
            total=snapshot.todo_total,
            unstated=tuple(gap.todo_id for gap in snapshot.gaps),
            unmet_criteria=snapshot.unmet_criteria,
        )
    )
    return Verdict(Mode.TERMINAL_NO_FOLLOWUP if closure.is_terminal else Mode.REPLAN, closure=closure)


def first_obstacle(survey: Survey) -> Verdict:
    """No other row applies: the best todo's first obstacle decides, or else the gate that is its root."""
    for found in survey.rooted:
        drop = found.drops[0]
        return Verdict(_SOLE[drop.consequence], found, drop)
    gates = survey.case.gates
    if gates.holding:
        return Verdict(Mode.USER_GATE, gate=gates.holding[0])
    if gates.others:
        return Verdict(Mode.WAIT_PEERS, gate=gates.others[0])
    return Verdict(Mode.QUIET_WAIT)


def _sole(survey: Survey, consequence: Consequence) -> Verdict | None:
    return _first(_SOLE[consequence], survey.sole(consequence))


def _first(mode: Mode, found: tuple[Finding, Drop] | None) -> Verdict | None:
    return None if found is None else Verdict(mode, found[0], found[1])


def named_gate(verdict: Verdict) -> str | None:
    """The id of the gate behind the verdict."""
    if verdict.gate is not None:
        return verdict.gate.todo_id
    if verdict.drop is not None and "gate" in verdict.drop.facts:
        return verdict.drop.named("gate")
    return None
