"""`loopx pool list`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.pool import list_pools
from loopx.cli.paging import page_options
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.app.page import Page
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("list", example="loopx pool list --goal-id ship")
@page_options
def cli(invocation: Invocation, page: Page) -> Document:
    """The goal's pools, and how many places of each are leased."""
    return list_pools(invocation.project(), invocation.goal_id, page)
