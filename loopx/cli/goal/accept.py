"""`loopx goal accept`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.goal_state import accept_criterion
from loopx.cli.declare import TEXT, option
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb(
    "accept",
    mutates=True,
    example="loopx goal accept --goal-id ship --criterion A1 --evidence 'all 4,012 files parse: run 17'",
)
@option("--criterion", metavar="A1", required=True, help="The acceptance criterion that is met.")
@option("--evidence", type=TEXT, help="What shows it; `-` reads standard input.")
def cli(invocation: Invocation, criterion: str, evidence: str | None) -> Document:
    """Record that an acceptance criterion is met, with its evidence."""
    return accept_criterion(invocation.project(), invocation.call("goal_accepted"), criterion, evidence)
