"""`loopx todo reassign`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.todo_claim import reassign_todo
from loopx.cli.declare import option
from loopx.cli.verb import held_work_options, todo_id_option, verb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb(
    "reassign",
    mutates=True,
    example="loopx todo reassign todo_0123456789 --claimed-by agent-b --agent-id agent-a",
)
@held_work_options
@todo_id_option
@option("--claimed-by", metavar="ID", required=True, help="The agent that shall have it.")
def cli(invocation: Invocation, todo_id: str, claimed_by: str) -> Document:
    """Give a claim to another agent; a peer's claim needs the grant `reassign`."""
    return reassign_todo(invocation.project(), invocation.call("todo_reassigned"), todo_id, claimed_by)
