"""`loopx todo reopen`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.todo_pause import reopen_todo
from loopx.cli.verb import held_work_options, todo_id_option, verb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("reopen", mutates=True, example="loopx todo reopen todo_0123456789")
@held_work_options
@todo_id_option
def cli(invocation: Invocation, todo_id: str) -> Document:
    """Open a blocked or deferred todo; what it is blocked by stays."""
    return reopen_todo(invocation.project(), invocation.call("todo_reopened"), todo_id)
