"""`loopx goal resume`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.goal_state import move_goal
from loopx.cli.verb import verb
from loopx.core.goal_state import GoalVerb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("resume", mutates=True, example="loopx goal resume --goal-id ship")
def cli(invocation: Invocation) -> Document:
    """Go on with a paused goal; a person's decision, refused to agents."""
    call = invocation.call("goal_resumed", needs_active_goal=False)
    return move_goal(invocation.project(), call, GoalVerb.RESUME)
