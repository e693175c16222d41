"""The states of a goal and the verbs between them (W10.3)."""

from __future__ import annotations

from enum import StrEnum

from loopx.core.errors import AlreadyDoneError, GoalNotActiveError
from loopx.core.goal import Goal, GoalState


class GoalVerb(StrEnum):
    PAUSE = "pause"
    RESUME = "resume"
    CLOSE = "close"
    REOPEN = "reopen"


TARGETS = {
    GoalVerb.PAUSE: GoalState.PAUSED,
    GoalVerb.RESUME: GoalState.ACTIVE,
    GoalVerb.CLOSE: GoalState.CLOSED,
    GoalVerb.REOPEN: GoalState.ACTIVE,
}
SOURCES = {
    GoalVerb.PAUSE: frozenset((GoalState.ACTIVE,)),
    GoalVerb.RESUME: frozenset((GoalState.PAUSED,)),
    GoalVerb.CLOSE: frozenset((GoalState.ACTIVE, GoalState.PAUSED)),
    GoalVerb.REOPEN: frozenset((GoalState.CLOSED,)),
}
# Lifting a stop or a closure is the person's to decide; stopping and validated closure is not.
FOR_A_PERSON = frozenset((GoalVerb.RESUME, GoalVerb.REOPEN))


def decide_goal_state(goal: Goal, verb: GoalVerb) -> GoalState:
    """The state after the verb.

    AlreadyDoneError where the goal is in it already, so that of two callers one learns that the
    other was first; GoalNotActiveError where another verb must come before.
    """
    target = TARGETS[verb]
    if goal.state is target:
        raise AlreadyDoneError(
            f"the goal {goal.goal_id} is {target} already",
            hint="Nothing is left to do; `loopx log` shows who did it.",
            goal_id=goal.goal_id,
            state=goal.state,
        )
    if goal.state not in SOURCES[verb]:
        raise GoalNotActiveError(
            f"a goal that is {goal.state} cannot {verb}: {goal.goal_id}",
            hint="Resume a paused goal, reopen a closed one.",
            goal_id=goal.goal_id,
            state=goal.state,
        )
    return target
