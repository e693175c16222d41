"""`loopx agent retire`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.agent import retire_agent
from loopx.cli.subject import subject_option
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("retire", mutates=True, subject=True, example="loopx agent retire --goal-id ship --agent-id agent-c")
@subject_option("The agent that has left.")
def cli(invocation: Invocation, agent_id: str) -> Document:
    """Say that a peer has left: its claims are stale at once, its leases run out."""
    call = invocation.call("agent_retired", needs_active_goal=False)
    return retire_agent(invocation.project(), call, agent_id)
