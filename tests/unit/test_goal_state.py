"""The states of a goal: every pair of state and verb, and which grants of a changed goal are wider."""

from __future__ import annotations

from itertools import product

import pytest

from loopx.core.errors import AlreadyDoneError, GoalNotActiveError
from loopx.core.goal import Goal, GoalState, Grant
from loopx.core.goal_state import TARGETS, GoalVerb, decide_goal_state
from loopx.core.grant_change import widened_grants

ALLOWED = {
    (GoalState.ACTIVE, GoalVerb.PAUSE): GoalState.PAUSED,
    (GoalState.PAUSED, GoalVerb.RESUME): GoalState.ACTIVE,
    (GoalState.ACTIVE, GoalVerb.CLOSE): GoalState.CLOSED,
    (GoalState.PAUSED, GoalVerb.CLOSE): GoalState.CLOSED,
    (GoalState.CLOSED, GoalVerb.REOPEN): GoalState.ACTIVE,
}


@pytest.mark.parametrize(("state", "verb"), list(product(GoalState, GoalVerb)))
def test_every_pair_of_state_and_verb_is_decided(state: GoalState, verb: GoalVerb) -> None:
    goal = Goal("lab", "Find out", state=state)
    if (state, verb) in ALLOWED:
        assert decide_goal_state(goal, verb) is ALLOWED[state, verb]
        return
    refusal = AlreadyDoneError if TARGETS[verb] is state else GoalNotActiveError
    with pytest.raises(refusal):
        decide_goal_state(goal, verb)


COMPLETE = Grant("ann", ("complete",))


@pytest.mark.parametrize(
    ("before", "after", "is_wider"),
    [
        (None, COMPLETE, True),
        (COMPLETE, COMPLETE, False),
        (Grant("bob", ("complete",)), COMPLETE, True),
        (Grant("ann", ("complete", "reassign")), COMPLETE, False),
        (Grant("ann", ("reassign",)), COMPLETE, True),
        (Grant("ann", ("complete",), requires_reason=True), COMPLETE, True),
        (COMPLETE, Grant("ann", ("complete",), requires_reason=True), False),
    ],
)
def test_a_grant_is_wider_by_an_action_or_by_a_dropped_reason(
    before: Grant | None, after: Grant, is_wider: bool
) -> None:
    old = Goal("lab", "x", grants=(before,) if before else ())
    assert widened_grants(old, Goal("lab", "x", grants=(after,))) == ((after,) if is_wider else ())


def test_every_grant_of_a_new_goal_is_new() -> None:
    assert widened_grants(None, Goal("lab", "x", grants=(COMPLETE,))) == (COMPLETE,)
