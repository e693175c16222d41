"""`loopx task-lease list`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.lease_view import list_leases
from loopx.cli.paging import page_options
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.app.page import Page
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("list", example="loopx task-lease list --goal-id ship")
@page_options
def cli(invocation: Invocation, page: Page) -> Document:
    """The live leases, oldest todo first, without their tokens."""
    return list_leases(invocation.project(), invocation.goal_id, page)
