"""The next command of each reason, as a table.

Nothing here claims, starts, completes or polls a todo that something else holds: where the mend is
not the caller's to make, the command shows the todo instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.capability import CapabilityKind
from loopx.core.decision import action
from loopx.core.decision.case import Case, Drop, is_held_by_peer
from loopx.core.decision.means import missing_of
from loopx.core.decision.reason import ReasonCode
from loopx.core.decision.snapshot import Holding
from loopx.core.decision.survey import Finding
from loopx.core.todo import TaskClass
from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable


class Obstacle(Value):
    """One drop of one finding; its command is about the finding's head."""

    case: Case
    found: Finding
    drop: Drop

    @property
    def todo_id(self) -> str:
        return self.found.head.todo_id

    @property
    def gate_id(self) -> str:
        return self.drop.named("gate")

    @property
    def is_callers_to_change(self) -> bool:
        """Whether the todo can be changed without a token or a grant."""
        is_leased = self.found.cohort.holding is Holding.LEASED
        return not is_leased and not is_held_by_peer(self.case, self.found.cohort)

    @property
    def is_all_that_is_left(self) -> bool:
        """Whether the caller could close the todo if it were not for this."""
        return self.is_callers_to_change and len(self.found.drops) == 1


def next_command(case: Case, found: Finding, drop: Drop) -> str:
    """What to run about this obstacle."""
    return _COMMANDS.get(drop.reason_code, _show)(Obstacle(case, found, drop))


def _show(at: Obstacle) -> str:
    return action.show(at.case, at.todo_id)


def _answer(at: Obstacle) -> str:
    return action.answer_gate(at.case, at.gate_id)


def _state_reach(at: Obstacle) -> str:
    return action.state_reach(at.case, at.gate_id)[0]


def _ask_person(at: Obstacle) -> str:
    """Whoever holds the todo is the one that the question holds."""
    scope, cohort = at.drop.facts.get("decision_scope"), at.found.cohort
    holder = cohort.holder if is_held_by_peer(at.case, cohort) else None
    text = None if scope is None else str(scope)
    return action.ask_person(at.case, at.found.head, text, holder or at.case.agent_id)


def _repair_bridge(at: Obstacle) -> str:
    return action.ask_with(at.case, missing_of(at.drop, CapabilityKind.TOOL))


def _give_authority(at: Obstacle) -> str:
    return action.give_capability(at.case, missing_of(at.drop, CapabilityKind.AUTHORITY)[0])


def _drop_dependency(at: Obstacle) -> str:
    dependency = at.drop.facts.get("dependency")
    if dependency is None or not at.is_callers_to_change:
        return _show(at)
    return action.update(at.case, at.todo_id, "--remove-blocked-by", str(dependency))


def _open_to_agents(at: Obstacle) -> str:
    if not at.is_callers_to_change:
        return _show(at)
    is_bound = at.found.head.route.bound_agent is not None
    return action.update(at.case, at.todo_id, "--clear-bound-agent" if is_bound else "--clear-excluded-agent")


def _narrow(at: Obstacle) -> str:
    """A write scope outside is taken out; another repository is for the user to allow."""
    outside = str(at.drop.facts.get("outside"))
    if outside not in at.found.head.route.required_write_scopes:
        return action.of_goal(at.case, "goal", "show")
    if not at.is_callers_to_change:
        return _show(at)
    return action.update(at.case, at.todo_id, "--remove-required-write-scope", outside)


def _reopen(at: Obstacle) -> str:
    if not at.is_callers_to_change:
        return _show(at)
    if at.found.head.task_class is TaskClass.BLOCKER:  # an open one without a cause is no better
        return _state_cause(at)
    return action.reopen(at.case, at.todo_id)


def _state_cause(at: Obstacle) -> str:
    return action.state_cause(at.case, at.todo_id) if at.is_callers_to_change else _show(at)


def _take_up(at: Obstacle) -> str:
    return action.claim(at.case, at.found.head) if at.is_all_that_is_left else _show(at)


def _end(at: Obstacle) -> str:
    return action.complete(at.case, at.found.head) if at.is_all_that_is_left else _show(at)


def _of_goal(family: str, verb: str) -> Callable[[Obstacle], str]:
    return lambda at: action.of_goal(at.case, family, verb)


_R = ReasonCode
_QUOTA = _of_goal("quota", "status")

# What is not in here shows the todo: who holds it, what it waits for.
_COMMANDS: dict[ReasonCode, Callable[[Obstacle], str]] = {
    _R.GOAL_PAUSED: _of_goal("goal", "resume"),
    _R.GOAL_CLOSED: _of_goal("goal", "reopen"),
    _R.GATE_WITHOUT_REACH: _state_reach,
    _R.GATE_OF_INACTIVE_AGENT: _state_reach,
    _R.GLOBAL_GATE_OPEN: _answer,
    _R.LANE_GATE_OPEN: _answer,
    _R.GATE_OPEN: _answer,
    _R.FOR_A_PERSON: lambda at: action.settle_user_todo(at.case, at.found.head),
    _R.BLOCKED_WITHOUT_CAUSE: _reopen,
    _R.BLOCKER_WITHOUT_CAUSE: _state_cause,
    _R.BLOCKER_RECOVERED: _take_up,
    _R.DEFERRED_WITHOUT_CONDITION: _reopen,
    _R.RESUME_UNSATISFIABLE: _reopen,
    _R.MONITOR_EXPIRED: _end,
    _R.DEPENDENCY_OPEN: lambda at: action.why(at.case, at.todo_id),
    _R.DEPENDENCY_FAILED: _drop_dependency,
    _R.DEPENDENCY_SUPERSEDED: _drop_dependency,
    _R.NO_ELIGIBLE_AGENT: _open_to_agents,
    _R.OUTSIDE_GOAL_BOUNDARY: _narrow,
    _R.DECISION_SCOPE_WITHOUT_GATE: _ask_person,
    _R.DECISION_REJECTED: _ask_person,
    _R.CAPABILITY_MISSING: _repair_bridge,
    _R.AUTHORITY_MISSING: _give_authority,
    _R.WORKSPACE_NOT_INDEPENDENT: lambda at: action.ask_again(at.case),
    _R.SLOTS_USED: _QUOTA,
    _R.TOKENS_USED: _QUOTA,
    _R.COST_USED: _QUOTA,
}
