"""`loopx handoff list`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.handoff import list_handoffs
from loopx.cli.paging import page_options
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.app.page import Page
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("list", example="loopx handoff list --goal-id ship")
@page_options
def cli(invocation: Invocation, page: Page) -> Document:
    """The recorded handoffs, newest first, and whether the receiver has worked since."""
    return list_handoffs(invocation.project(), invocation.goal_id, page)
