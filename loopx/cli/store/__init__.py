"""`loopx store …`: where the state is kept."""

from __future__ import annotations

from loopx.cli.verb import family

MEMBERS = {
    "migrate": ("loopx.cli.store.migrate", "Move the state to a database server."),
}

cli = family(
    "store",
    "Where the state is kept: files here, or a server that several machines share.",
    MEMBERS,
    example="loopx store migrate --to postgresql://loopx@db.example/loopx --dry-run",
)
