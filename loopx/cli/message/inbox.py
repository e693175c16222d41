"""`loopx message inbox`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.message import read_inbox
from loopx.cli.declare import flag
from loopx.cli.paging import page_options
from loopx.cli.subject import subject_option
from loopx.cli.verb import verb
from loopx.core.name import normalise_name

if TYPE_CHECKING:
    from loopx.app.page import Page
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("inbox", subject=True, example="loopx message inbox --agent-id agent-b")
@subject_option("Whose mailbox: an agent of the goal, or `user` for its person.")
@flag("--all", "everything", help="Acknowledged mail too.")
@page_options
def cli(invocation: Invocation, agent_id: str, page: Page, everything: bool) -> Document:
    """What waits in a mailbox, oldest first. Reading marks nothing: mail waits until it is acknowledged."""
    owner = normalise_name(agent_id, what="mailbox")
    return read_inbox(invocation.project(), invocation.goal_id, owner, page, with_acknowledged=everything)
