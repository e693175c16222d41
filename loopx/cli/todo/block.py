"""`loopx todo block`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.todo_pause import block_todo
from loopx.cli.declare import option
from loopx.cli.verb import held_work_options, todo_id_option, verb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("block", mutates=True, example="loopx todo block todo_0123456789 --reason 'the API is down'")
@held_work_options
@todo_id_option
@option("--blocked-by", multiple=True, metavar="ID", help="A todo that must be done first.")
def cli(invocation: Invocation, todo_id: str, blocked_by: tuple[str, ...]) -> Document:
    """Hold a todo by a stated reason, by other todos, or by both."""
    return block_todo(invocation.project(), invocation.call("todo_blocked"), todo_id, blocked_by)
