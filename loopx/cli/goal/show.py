"""`loopx goal show`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.goal_view import show_goal
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("show", example="loopx goal show --goal-id ship")
def cli(invocation: Invocation) -> Document:
    """One goal: criteria, boundary, budget, agents, grants, and what is missing for its closure."""
    return show_goal(invocation.project(), invocation.goal_id)
