"""`loopx handoff qualify`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from loopx.app.handoff_qualify import DEFAULT_ROUNDS, qualify_handoff
from loopx.cli.declare import NUMBER, option
from loopx.cli.handoff.ends import question_of, to_option
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("qualify", example="loopx handoff qualify --goal-id ship --to agent-b --rounds 10")
@to_option
@option("--rounds", type=NUMBER, default=DEFAULT_ROUNDS, metavar="N", help=f"How many readings ({DEFAULT_ROUNDS}).")
@option("--from-worktree", multiple=True, metavar="DIR", help="Read by turns from this worktree too.")
def cli(invocation: Invocation, to: str | None, rounds: int, from_worktree: tuple[str, ...]) -> Document:
    """Rebuild the packet in fresh processes and compare: distance 0.0 is a fixed point. Changes no state."""
    places = tuple(os.path.abspath(folder) for folder in from_worktree)
    return qualify_handoff(invocation.project(), question_of(invocation, to), rounds, places)
