"""`loopx quota status`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.spend import quota_status
from loopx.cli.paging import page_options
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.app.page import Page
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("status", example="loopx quota status --goal-id ship")
@page_options
def cli(invocation: Invocation, page: Page) -> Document:
    """What each goal may spend, what its window holds, and by agent and day."""
    return quota_status(invocation.project(), invocation.goal_id, page)
