"""`loopx message sent`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.message import read_sent
from loopx.cli.declare import option
from loopx.cli.paging import page_options
from loopx.cli.verb import verb
from loopx.core.message import PERSON
from loopx.core.name import normalise_name

if TYPE_CHECKING:
    from loopx.app.page import Page
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("sent", example="loopx message sent --from agent-a --to agent-b")
@option("--from", "sender", metavar="ID", help="Who wrote it; otherwise the actor.")
@option("--to", "recipient", metavar="ID", help="Only what went to that mailbox.")
@page_options
def cli(invocation: Invocation, page: Page, sender: str | None, recipient: str | None) -> Document:
    """What was sent, oldest first; `unread_seconds` is how long it has been waiting."""
    who = sender and normalise_name(sender, what="sender")
    to = recipient and normalise_name(recipient, what="recipient")
    author = who or invocation.actor().agent_id or PERSON
    return read_sent(invocation.project(), invocation.goal_id, author, page, recipient=to)
