"""`loopx message prune`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.message import KEPT, prune_messages
from loopx.cli.declare import DURATION, option
from loopx.cli.verb import verb
from loopx.core.message import PERSON
from loopx.core.name import normalise_name

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("prune", mutates=True, example="loopx message prune --of agent-b --older-than 1d")
@option("--of", "owner", metavar="ID", help="Whose mailbox; otherwise the actor's.")
@option("--older-than", type=DURATION, default=KEPT, help="Acknowledged longer ago than this (7d).")
def cli(invocation: Invocation, owner: str | None, older_than: int) -> Document:
    """Forget mail that was acknowledged long ago. Unread mail always stays; the history keeps what was said."""
    call = invocation.call("messages_pruned")
    mailbox = normalise_name(owner, what="mailbox") if owner is not None else call.actor.agent_id or PERSON
    return prune_messages(invocation.project(), call, mailbox, older_than)
