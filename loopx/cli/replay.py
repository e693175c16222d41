"""`loopx replay`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.replay import replay_at
from loopx.cli.declare import flag, option
from loopx.cli.paging import page_options
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.app.page import Page
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("replay", example="loopx replay --at 42")
@option("--at", required=True, metavar="SEQ|TIME", help="After this event, or as it was at this time.")
@flag("--full", help="Whole todos instead of brief ones.")
@page_options
def cli(invocation: Invocation, page: Page, at: str, full: bool) -> Document:
    """The todos as they were, rebuilt from the history alone; nothing is changed."""
    return replay_at(invocation.project(), at, page, goal_id=invocation.goal_id, full=full)
