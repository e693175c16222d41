"""`loopx message ack`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.message import acknowledge_message
from loopx.cli.declare import argument
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("ack", mutates=True, example="loopx message ack msg_0123456789 --agent-id agent-b")
@argument("message_id", metavar="ID")
def cli(invocation: Invocation, message_id: str) -> Document:
    """Say that a message of one's own mailbox is dealt with, so that it is not delivered again."""
    return acknowledge_message(invocation.project(), invocation.call("message_acknowledged"), message_id)
