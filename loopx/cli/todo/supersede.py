"""`loopx todo supersede`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.todo_supersede import Replacement, supersede_todo
from loopx.cli.declare import TEXT, flag, option
from loopx.cli.verb import held_work_options, todo_id_option, verb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb(
    "supersede",
    mutates=True,
    example="loopx todo supersede todo_0123456789 --reason 'new evidence' --next-agent-todo '[P0] The other way'",
)
@held_work_options
@todo_id_option
@option("--next-agent-todo", type=TEXT, help="A new todo that takes its place.")
@option("--successor-todo-id", metavar="ID", help="An existing todo that takes its place.")
@flag("--no-replacement", help="Nothing takes its place; what waits for it needs a repair.")
def cli(
    invocation: Invocation,
    todo_id: str,
    next_agent_todo: str | None,
    successor_todo_id: str | None,
    no_replacement: bool,
) -> Document:
    """Replace a todo without calling it done; what waits for it waits for the replacement."""
    replacement = Replacement(text=next_agent_todo, successor_id=successor_todo_id, none=no_replacement)
    return supersede_todo(invocation.project(), invocation.call("todo_superseded"), todo_id, replacement)
