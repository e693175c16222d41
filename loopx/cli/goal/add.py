"""`loopx goal add`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.goal_change import add_goal
from loopx.cli.declare import TEXT, option
from loopx.cli.verb import verb
from loopx.core.errors import UsageError
from loopx.registry.write import NewGoal

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb(
    "add",
    mutates=True,
    example="loopx goal add --goal-id ship --objective 'Parse it' --acceptance 'All parses' --agent agent-a",
)
@option("--objective", type=TEXT, required=True, help="What shall be true at its end.")
@option("--acceptance", type=TEXT, multiple=True, help="A criterion that shows it.")
@option("--agent", multiple=True, metavar="ID", help="An agent that works on it.")
def cli(invocation: Invocation, objective: str, acceptance: tuple[str, ...], agent: tuple[str, ...]) -> Document:
    """Add an active goal; its criteria become A1, A2 and so on."""
    if invocation.goal_id is None:
        raise UsageError("the new goal has no name", hint="Name it with --goal-id.")
    call = invocation.call("goal_added", needs_active_goal=False)
    new = NewGoal(invocation.goal_id, objective, acceptance, agent)
    return add_goal(invocation.project(), call, new)
