"""`loopx todo defer`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.todo_pause import defer_todo
from loopx.cli.declare import option
from loopx.cli.verb import held_work_options, todo_id_option, verb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("defer", mutates=True, example="loopx todo defer todo_0123456789 --resume-when in:2h")
@held_work_options
@todo_id_option
@option(
    "--resume-when",
    metavar="COND",
    help="todo_done:ID, pr_merged:REF, capacity_available:POOL, at:TIME, in:DUR.",
)
def cli(invocation: Invocation, todo_id: str, resume_when: str | None) -> Document:
    """Let a todo sleep until its condition holds; without one it would be lost, so one is needed."""
    return defer_todo(invocation.project(), invocation.call("todo_deferred"), todo_id, resume_when)
