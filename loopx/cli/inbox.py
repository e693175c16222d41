"""`loopx inbox`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.inbox import read_inbox
from loopx.cli.paging import page_options
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.app.page import Page
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("inbox", example="loopx inbox")
@page_options
def cli(invocation: Invocation, page: Page) -> Document:
    """What waits for a person: gates to answer and actions to take."""
    return read_inbox(invocation.project(), invocation.goal_id, page)
