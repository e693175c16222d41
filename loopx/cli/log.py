"""`loopx log`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.log import LogFilter, read_log
from loopx.cli.declare import option
from loopx.cli.paging import page_options
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.app.page import Page
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("log", example="loopx log --todo-id todo_0123456789 --limit 20")
@option("--todo-id", metavar="ID", help="Only what was done to this todo.")
@option("--since", metavar="TIME", help="Only from this time on.")
@option("--action", metavar="NAME", help="Only this kind of event, such as todo_claimed.")
@page_options
def cli(invocation: Invocation, page: Page, todo_id: str | None, since: str | None, action: str | None) -> Document:
    """What happened, oldest first: who, what, why, and every value before and after."""
    return read_log(invocation.project(), LogFilter(invocation.goal_id, todo_id, since, action), page)
