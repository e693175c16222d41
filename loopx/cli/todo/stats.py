"""`loopx todo stats`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.todo_stats import read_stats
from loopx.cli.declare import option
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("stats", example="loopx todo stats --goal-id ship --since 2026-01-31T00:00:00Z")
@option("--since", metavar="TIME", help="From when throughput, cycle time and spend count (the last 14 UTC days).")
def cli(invocation: Invocation, since: str | None) -> Document:
    """Counts, throughput, cycle time, what work waits for, the oldest open work, and spend."""
    return read_stats(invocation.project(), invocation.goal_id, since)
