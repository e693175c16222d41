"""`loopx todo show`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.todo_show import show_todo
from loopx.cli.verb import todo_id_option, verb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("show", example="loopx todo show todo_0123456789")
@todo_id_option
def cli(invocation: Invocation, todo_id: str) -> Document:
    """One todo, whole."""
    return show_todo(invocation.project(), todo_id, invocation.goal_id)
