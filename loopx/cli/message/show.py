"""`loopx message show`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.message import show_message
from loopx.cli.declare import argument
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("show", example="loopx message show msg_0123456789")
@argument("message_id", metavar="ID")
def cli(invocation: Invocation, message_id: str) -> Document:
    """One message whole, acknowledged or not."""
    return show_message(invocation.project(), message_id)
