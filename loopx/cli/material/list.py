"""`loopx material list`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.material import list_materials
from loopx.cli.paging import page_options
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.app.page import Page
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("list", example="loopx material list --goal-id ship")
@page_options
def cli(invocation: Invocation, page: Page) -> Document:
    """The declared materials, each with its place and its present revision."""
    return list_materials(invocation.project(), invocation.goal_id, page)
