"""`loopx goal pause`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.goal_state import move_goal
from loopx.cli.verb import verb
from loopx.core.goal_state import GoalVerb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("pause", mutates=True, example="loopx goal pause --goal-id ship --reason 'budget review'")
def cli(invocation: Invocation) -> Document:
    """Stop a goal for now: no decision lets work on it run."""
    call = invocation.call("goal_paused", needs_active_goal=False)
    return move_goal(invocation.project(), call, GoalVerb.PAUSE)
