"""`loopx handoff show`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.handoff_packet import handoff_packet
from loopx.cli.declare import option
from loopx.cli.handoff.ends import question_of, to_option
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("show", example="loopx handoff show --goal-id ship --to agent-b")
@to_option
@option("--at", metavar="TIME", help="Evaluate the state as of this time, to compare two readings.")
def cli(invocation: Invocation, to: str | None, at: str | None) -> Document:
    """The decision surface that a peer goes on from: checks, state, frontier, gates, claims. Starts nothing."""
    instant = None
    if at is not None:
        from loopx.core.instant import parse_instant

        instant = parse_instant(at, now=invocation.real_ports().clock.now())
    return handoff_packet(invocation.project(), question_of(invocation, to, instant))
