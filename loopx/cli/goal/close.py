"""`loopx goal close`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.goal_state import move_goal
from loopx.cli.verb import verb
from loopx.core.goal_state import GoalVerb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("close", mutates=True, example="loopx goal close --goal-id ship")
def cli(invocation: Invocation) -> Document:
    """Close a goal. Refused while anything is missing, with all of it named."""
    call = invocation.call("goal_closed", needs_active_goal=False)
    return move_goal(invocation.project(), call, GoalVerb.CLOSE)
