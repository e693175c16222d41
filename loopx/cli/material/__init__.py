"""`loopx material …`: what agents must have read."""

from __future__ import annotations

from loopx.cli.verb import family

MEMBERS = {
    "add": ("loopx.cli.material.add", "Declare a material."),
    "list": ("loopx.cli.material.list", "The declared materials and their revisions."),
    "ack": ("loopx.cli.material.ack", "Record the revision that an agent has read."),
    "status": ("loopx.cli.material.status", "How an agent stands to what it must have read."),
}

cli = family(
    "material",
    "What agents must have read: references and revisions, never the text itself.",
    MEMBERS,
    example="loopx material add api-spec --path docs/api.md --required-for agent-b",
)
