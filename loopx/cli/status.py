"""`loopx status`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.status import read_status
from loopx.cli.paging import page_options
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.app.page import Page
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("status", example="loopx status --goal-id ship")
@page_options
def cli(invocation: Invocation, page: Page) -> Document:
    """Counts, who is on what, open gates, unmet criteria, and what is missing for closure."""
    return read_status(invocation.project(), invocation.goal_id, page)
