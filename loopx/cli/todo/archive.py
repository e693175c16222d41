"""`loopx todo archive`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.todo_archive import archive_todos
from loopx.cli.declare import DURATION, option
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("archive", mutates=True, example="loopx todo archive --older-than 30d")
@option("--older-than", type=DURATION, required=True, help="How long ago it must have been closed.")
def cli(invocation: Invocation, older_than: int) -> Document:
    """Move closed work out of the way of lists and decisions; `todo show` still finds it by its id."""
    call = invocation.call("todos_archived", needs_active_goal=False)
    return archive_todos(invocation.project(), call, older_than)
