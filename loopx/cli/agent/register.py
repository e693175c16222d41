"""`loopx agent register`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.agent import register_agent
from loopx.cli.declare import option
from loopx.cli.subject import subject_option
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb(
    "register",
    mutates=True,
    subject=True,
    example="loopx agent register --goal-id ship --agent-id agent-c --capability shell",
)
@subject_option("The agent that is registered.")
@option("--capability", multiple=True, metavar="NAME", help="What it can do.")
def cli(invocation: Invocation, agent_id: str, capability: tuple[str, ...]) -> Document:
    """Register a peer, add to what a registered one can do, or take a retired one back."""
    call = invocation.call("agent_registered", needs_active_goal=False)
    return register_agent(invocation.project(), call, agent_id, capability)
