"""Whether a goal is over: derived from what is left, never set by anybody (W10.3)."""

from __future__ import annotations

from enum import StrEnum

from loopx.core.errors import ClosureIncompleteError
from loopx.core.value import Value


class ClosureCode(StrEnum):
    """What stands between a goal and its closure; the wire names."""

    EMPTY_GRAPH = "empty_graph"  # nothing was ever planned
    WORK_OPEN = "work_open"
    MONITOR_OPEN = "monitor_open"
    BLOCKER_OPEN = "blocker_open"
    GATE_OPEN = "gate_open"
    USER_ACTION_OPEN = "user_action_open"
    WORK_BLOCKED = "work_blocked"
    WORK_DEFERRED = "work_deferred"
    FOLLOW_UP_UNSTATED = "follow_up_unstated"  # done, without successor, dependent or no-follow-up
    ACCEPTANCE_UNMET = "acceptance_unmet"


# Gaps that no todo of the graph will close by itself: what they need is a new plan.
_NEEDS_A_PLAN = frozenset((ClosureCode.EMPTY_GRAPH, ClosureCode.FOLLOW_UP_UNSTATED, ClosureCode.ACCEPTANCE_UNMET))
_SHOWN = 5  # subjects that a message names


class ClosureFacts(Value):
    """Counts over all todos of a goal; archived ones count in `total`, superseded ones nowhere else."""

    total: int
    open_work: int = 0
    open_monitors: int = 0
    open_blockers: int = 0
    open_gates: int = 0
    open_user_actions: int = 0
    blocked: int = 0
    deferred: int = 0
    unstated: tuple[str, ...] = ()  # ids of done work that says neither what follows nor that nothing does
    unmet_criteria: tuple[str, ...] = ()


class ClosureGap(Value):
    """One kind of thing that is left, how many of it, and which where they are known by id."""

    code: ClosureCode
    number: int
    subjects: tuple[str, ...] = ()

    def __str__(self) -> str:
        if not self.subjects:
            return f"{self.code} ({self.number})"
        more = ", …" if len(self.subjects) > _SHOWN else ""
        return f"{self.code} ({', '.join(self.subjects[:_SHOWN])}{more})"


class GoalClosure(Value):
    """The verdict on a goal and what is missing, in the order in which it is worth mending."""

    missing: tuple[ClosureGap, ...]

    @property
    def is_terminal(self) -> bool:
        """Nothing is left: the derived `terminal_no_followup`."""
        return not self.missing

    @property
    def needs_plan(self) -> bool:
        """Nothing is open any more, and yet something is missing."""
        return bool(self.missing) and all(gap.code in _NEEDS_A_PLAN for gap in self.missing)


def decide_closure(facts: ClosureFacts) -> GoalClosure:
    """What is still missing before the goal is over. A goal without criteria has none to meet."""
    return GoalClosure(closure_gaps(facts))


def closure_gaps(facts: ClosureFacts) -> tuple[ClosureGap, ...]:
    """Everything that is left, open work first."""
    counted = (
        ClosureGap(ClosureCode.EMPTY_GRAPH, int(facts.total == 0)),
        ClosureGap(ClosureCode.WORK_OPEN, facts.open_work),
        ClosureGap(ClosureCode.MONITOR_OPEN, facts.open_monitors),
        ClosureGap(ClosureCode.BLOCKER_OPEN, facts.open_blockers),
        ClosureGap(ClosureCode.GATE_OPEN, facts.open_gates),
        ClosureGap(ClosureCode.USER_ACTION_OPEN, facts.open_user_actions),
        ClosureGap(ClosureCode.WORK_BLOCKED, facts.blocked),
        ClosureGap(ClosureCode.WORK_DEFERRED, facts.deferred),
        ClosureGap(ClosureCode.FOLLOW_UP_UNSTATED, len(facts.unstated), facts.unstated),
        ClosureGap(ClosureCode.ACCEPTANCE_UNMET, len(facts.unmet_criteria), facts.unmet_criteria),
    )
    return tuple(gap for gap in counted if gap.number > 0)


def refuse_incomplete_closure(goal_id: str, facts: ClosureFacts) -> None:
    """ClosureIncompleteError, naming everything that is left, unless the goal is over (W10.3)."""
    missing = closure_gaps(facts)
    if not missing:
        return
    raise ClosureIncompleteError(
        f"the goal {goal_id} is not over: {', '.join(str(gap) for gap in missing)}",
        hint="Finish or supersede what is open, state what follows, and accept each criterion with evidence.",
        goal_id=goal_id,
        missing=[{"code": gap.code, "count": gap.number, "subjects": list(gap.subjects)} for gap in missing],
    )
