"""`loopx pool …`: resources of which a limited number may be leased."""

from __future__ import annotations

from loopx.cli.verb import family

MEMBERS = {
    "set": ("loopx.cli.pool.set", "Make a pool, or change its capacity."),
    "list": ("loopx.cli.pool.list", "The pools and how much of each is leased."),
}

cli = family(
    "pool",
    "Resources of which a limited number may be leased.",
    MEMBERS,
    example="loopx pool set gpu --capacity 2",
)
