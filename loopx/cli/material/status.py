"""`loopx material status`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.material import material_status
from loopx.cli.paging import page_options
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.app.page import Page
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("status", example="loopx material status --goal-id ship --agent-id agent-b")
@page_options
def cli(invocation: Invocation, page: Page) -> Document:
    """Each material that the agent must have read: current, stale, missing, inaccessible or unread."""
    return material_status(invocation.project(), invocation.goal_id, invocation.actor().agent_id, page)
