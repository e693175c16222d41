"""`loopx todo claim`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.todo_claim import claim_todo
from loopx.cli.declare import DURATION, option
from loopx.cli.verb import todo_id_option, verb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("claim", mutates=True, example="loopx todo claim --todo-id todo_0123456789 --claimed-by agent-a")
@todo_id_option
@option("--claimed-by", metavar="ID", help="The agent that is on it; otherwise the actor.")
@option("--ttl", type=DURATION, help="After this time the claim is stale (24h).")
def cli(invocation: Invocation, todo_id: str, claimed_by: str | None, ttl: int | None) -> Document:
    """Say that an agent is on a todo. Others see it; nothing is started and nothing else is granted."""
    call = invocation.call("todo_claimed", actor=invocation.actor(claimed_by))
    return claim_todo(invocation.project(), call, todo_id, ttl)
