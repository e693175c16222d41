"""`loopx monitor …`: read-only looks at the outside."""

from __future__ import annotations

from loopx.cli.verb import family

MEMBERS = {"poll": ("loopx.cli.monitor.poll", "Record what one poll found.")}

cli = family(
    "monitor",
    "Read-only looks at the outside.",
    MEMBERS,
    example="loopx monitor poll todo_0123456789 --result no_change --evidence 'checks still pending'",
)
