"""`loopx pool set`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.pool import set_pool
from loopx.cli.declare import NUMBER, argument, option
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("set", mutates=True, example="loopx pool set gpu --capacity 2")
@argument("name", metavar="NAME")
@option("--capacity", type=NUMBER, required=True, help="How many may be leased at once.")
def cli(invocation: Invocation, name: str, capacity: int) -> Document:
    """Make a pool, or give it another capacity."""
    return set_pool(invocation.project(), invocation.call("pool_set"), name, capacity)
