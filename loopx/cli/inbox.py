"""`loopx inbox`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.inbox import read_inbox
from loopx.cli.declare import option
from loopx.cli.paging import page_options
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.app.page import Page
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("inbox", example="loopx inbox")
@page_options
@option("--notify", metavar="CMD", help="Run this for each item that is new, with the item as JSON on standard input.")
def cli(invocation: Invocation, page: Page, notify: str | None) -> Document:
    """What waits for a person: gates to answer and actions to take.

    With --notify a command tells of each item once; it runs without a shell.
    """
    project, goal_id = invocation.project(), invocation.goal_id
    if notify is None:
        return read_inbox(project, goal_id, page)
    from loopx.app.notify import notify_new

    told, failures = notify_new(project, invocation.call("inbox_notified", needs_active_goal=False), goal_id, notify)
    document = read_inbox(project, goal_id, page)
    return {**document, "notified": told, "warnings": failures}
