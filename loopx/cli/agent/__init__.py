"""`loopx agent …`: the equal peers of a goal."""

from __future__ import annotations

from loopx.cli.verb import family

MEMBERS = {
    "register": ("loopx.cli.agent.register", "Register a peer, or what it can do."),
    "list": ("loopx.cli.agent.list", "The peers of a goal."),
    "retire": ("loopx.cli.agent.retire", "Say that a peer has left."),
}

cli = family(
    "agent",
    "Equal peers of a goal.",
    MEMBERS,
    example="loopx agent register --goal-id ship --agent-id agent-c",
)
