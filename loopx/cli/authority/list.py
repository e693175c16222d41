"""`loopx authority list`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.authority import list_authority
from loopx.cli.paging import page_options
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.app.page import Page
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("list", example="loopx authority list --goal-id ship")
@page_options
def cli(invocation: Invocation, page: Page) -> Document:
    """The grants of a goal."""
    return list_authority(invocation.project(), invocation.goal_id, page)
