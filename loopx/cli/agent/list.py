"""`loopx agent list`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.agent import list_agents
from loopx.cli.paging import page_options
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.app.page import Page
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("list", example="loopx agent list --goal-id ship")
@page_options
def cli(invocation: Invocation, page: Page) -> Document:
    """The peers of a goal, what they can do, and who is retired."""
    return list_agents(invocation.project(), invocation.goal_id, page)
