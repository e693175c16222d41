"""`loopx fact record`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.fact import record_fact
from loopx.cli.declare import TEXT, argument, option
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("record", mutates=True, example="loopx fact record pr_merged:project#12 --evidence 'merged as 1a2b3c'")
@argument("fact", metavar="KIND:REF")
@option("--evidence", type=TEXT, help="Where it was seen; `-` reads standard input.")
def cli(invocation: Invocation, fact: str, evidence: str | None) -> Document:
    """Record that something outside is so; what waits for it wakes."""
    return record_fact(invocation.project(), invocation.call("fact_recorded"), fact, evidence)
