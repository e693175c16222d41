"""`loopx message …`: mail between agents and their person."""

from __future__ import annotations

from loopx.cli.verb import family

MEMBERS = {
    "send": ("loopx.cli.message.send", "Put a text into a mailbox."),
    "inbox": ("loopx.cli.message.inbox", "What waits in a mailbox."),
    "show": ("loopx.cli.message.show", "One message, whole."),
    "ack": ("loopx.cli.message.ack", "Say that a message is dealt with."),
    "sent": ("loopx.cli.message.sent", "What was sent, and what of it waits unread."),
    "prune": ("loopx.cli.message.prune", "Forget mail that was acknowledged long ago."),
}

cli = family(
    "message",
    "Mail between the agents of a goal and its person, delivered until it is acknowledged.",
    MEMBERS,
    example="loopx message send --from agent-a --to agent-b --text 'The parser is yours'",
)
