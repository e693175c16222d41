"""`loopx message send`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.message import MessageRequest, send_message
from loopx.cli.declare import option
from loopx.cli.message.words import words_options
from loopx.cli.verb import verb
from loopx.core.name import normalise_name

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb(
    "send",
    mutates=True,
    example="loopx message send --from agent-a --to agent-b --text 'The parser is yours'",
)
@option("--from", "sender", metavar="ID", help="The agent that writes; otherwise the actor.")
@option("--to", "recipient", required=True, metavar="ID", help="An agent of the goal, or `user` for its person.")
@words_options
@option("--todo-id", metavar="ID", help="The todo that it is about.")
def cli(invocation: Invocation, sender: str | None, recipient: str, text: str, todo_id: str | None) -> Document:
    """Put a text into a mailbox; the answer tells how long the recipient has left its mail unread."""
    call = invocation.call("message_sent", actor=invocation.actor(sender))
    request = MessageRequest(normalise_name(recipient, what="recipient"), text, todo_id)
    return send_message(invocation.project(), call, request)
