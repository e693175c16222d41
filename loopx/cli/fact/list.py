"""`loopx fact list`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.fact import list_facts
from loopx.cli.paging import page_options
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.app.page import Page
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("list", example="loopx fact list")
@page_options
def cli(invocation: Invocation, page: Page) -> Document:
    """What has been recorded of the outside, in the order of names."""
    return list_facts(invocation.project(), page)
