"""`loopx fact …`: what is so outside."""

from __future__ import annotations

from loopx.cli.verb import family

MEMBERS = {
    "record": ("loopx.cli.fact.record", "Record that something outside is so."),
    "list": ("loopx.cli.fact.list", "What has been recorded."),
}

cli = family(
    "fact",
    "What is so outside; resume conditions read it.",
    MEMBERS,
    example="loopx fact record pr_merged:project#12 --evidence 'merged on the main branch'",
)
