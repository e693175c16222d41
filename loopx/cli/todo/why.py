"""`loopx todo why`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.decide import Question, why_todo
from loopx.cli.context import working_directory
from loopx.cli.declare import option
from loopx.cli.typed import capability_names
from loopx.cli.verb import todo_id_option, verb
from loopx.core.errors import ActorRequiredError
from loopx.core.name import normalise_name

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("why", subject=True, example="loopx todo why todo_0123456789 --agent-id agent-a")
@todo_id_option
@option("--agent-id", metavar="ID", help="The agent for whom it is asked.")
@option("--available-capability", multiple=True, metavar="NAME", help="What that agent can do.")
@option("--workspace", metavar="PATH", help="Where it would work; otherwise the current folder.")
def cli(
    invocation: Invocation,
    todo_id: str,
    agent_id: str | None,
    available_capability: tuple[str, ...],
    workspace: str | None,
) -> Document:
    """Every stage that the todo passes or fails for an agent, with the facts and the next command."""
    named = agent_id or invocation.options.get("agent_id")
    if named is None:
        raise ActorRequiredError("whether a todo may run depends on the agent", hint="Name it with --agent-id.")
    question = Question(
        goal_id=invocation.goal_id,
        agent_id=normalise_name(named, what="agent id"),
        capabilities=capability_names(available_capability),
        folder=workspace or working_directory(),
    )
    return why_todo(invocation.project(), question, todo_id)
