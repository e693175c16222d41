"""`loopx todo release`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.todo_claim import release_todo
from loopx.cli.declare import option
from loopx.cli.verb import held_work_options, todo_id_option, verb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("release", mutates=True, example="loopx todo release todo_0123456789 --agent-id agent-a")
@held_work_options
@todo_id_option
@option("--claimed-by", metavar="ID", help="The agent that gives it up; otherwise the actor.")
def cli(invocation: Invocation, todo_id: str, claimed_by: str | None) -> Document:
    """Give a claim up, and with it a lease, whose token is then needed."""
    call = invocation.call("todo_released", actor=invocation.actor(claimed_by))
    return release_todo(invocation.project(), call, todo_id)
