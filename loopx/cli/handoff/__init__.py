"""`loopx handoff …`: recovery packets."""

from __future__ import annotations

from loopx.cli.verb import family

MEMBERS = {
    "show": ("loopx.cli.handoff.show", "What a peer needs to go on."),
    "create": ("loopx.cli.handoff.create", "Record that work is handed over."),
    "list": ("loopx.cli.handoff.list", "The recorded handoffs."),
    "qualify": ("loopx.cli.handoff.qualify", "Measure whether repeated readings agree."),
    "prompt": ("loopx.cli.handoff.prompt", "The packet as a short text for an agent."),
}

cli = family(
    "handoff",
    "Recovery packets: a peer that never saw the conversation goes on from recorded state alone.",
    MEMBERS,
    example="loopx handoff create --agent-id agent-a --to agent-b",
)
