"""`loopx init`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.init import NewProject, initialise
from loopx.cli.context import working_directory
from loopx.cli.declare import TEXT, option
from loopx.cli.verb import verb
from loopx.workspace.discovery import init_target

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb(
    "init",
    mutates=True,
    example="loopx init --goal-id ship --objective 'Parse it' --acceptance 'All parses' --agent agent-a",
)
@option("--objective", type=TEXT, help="What shall be true at the end of the goal.")
@option("--acceptance", type=TEXT, multiple=True, help="A criterion that shows it.")
@option("--agent", multiple=True, metavar="ID", help="An agent that works on it.")
def cli(invocation: Invocation, objective: str | None, acceptance: tuple[str, ...], agent: tuple[str, ...]) -> Document:
    """Make a project's state folder, with its first goal or without one."""
    target = init_target(
        option=invocation.options.get("project"),
        environment=invocation.settings.project,
        cwd=working_directory(),
    )
    call = invocation.call("project_initialised", needs_active_goal=False)
    new = NewProject(invocation.goal_id, objective, acceptance, agent)
    return initialise(target, call, new, invocation.open)
