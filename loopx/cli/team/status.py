"""`loopx team status`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.cli.declare import DURATION, flag, option
from loopx.cli.paging import page_options
from loopx.cli.verb import verb
from loopx.cli.watching import refuse_without_watch, show_each
from loopx.team.status import read_team

if TYPE_CHECKING:
    from loopx.app.page import Page
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("status", example="loopx team status --goal-id ship")
@flag("--watch", help="Show it again whenever it changes, until interrupted; in text only.")
@option("--interval", type=DURATION, help="How often --watch looks for a change (1s).")
@option("--for", "limit_us", type=DURATION, help="How long --watch goes on; otherwise until interrupted.")
@page_options
def cli(invocation: Invocation, page: Page, watch: bool, interval: int | None, limit_us: int | None) -> Document | None:
    """Each agent of the goal: whether its worker lives, what it holds, its plan, and the mail that waits for it."""
    if watch:
        goal_id, project = invocation.goal_id, invocation.project()
        show_each(invocation, lambda: read_team(project, goal_id, page), interval, limit_us)
        return None
    refuse_without_watch(interval, limit_us)
    return read_team(invocation.project(), invocation.goal_id, page)
