"""`loopx plan submit`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.plan import PlanRequest, submit_plan
from loopx.cli.declare import option
from loopx.cli.message.words import words_options
from loopx.cli.verb import verb
from loopx.core.name import normalise_name

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb(
    "submit",
    mutates=True,
    example="loopx plan submit --agent-id agent-a --text 'First the tests, then the parser'",
)
@words_options
@option("--to", "reviewer", metavar="ID", help="Who answers; otherwise the worker's lead, or the goal's person.")
def cli(invocation: Invocation, text: str, reviewer: str | None) -> Document:
    """Ask for a plan's approval. Until it is approved its agent starts nothing; a newer plan takes its place."""
    to = reviewer and normalise_name(reviewer, what="reviewer")
    return submit_plan(invocation.project(), invocation.call("plan_submitted"), PlanRequest(text, to or None))
