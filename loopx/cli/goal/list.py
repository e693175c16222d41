"""`loopx goal list`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.goal_view import list_goals
from loopx.cli.paging import page_options
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.app.page import Page
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("list", example="loopx goal list")
@page_options
def cli(invocation: Invocation, page: Page) -> Document:
    """The goals in the order of the registry, a line each."""
    return list_goals(invocation.project(), page)
