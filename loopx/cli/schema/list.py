"""`loopx schema list`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.schema import list_schemas
from loopx.cli.paging import page_options
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.app.page import Page
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("list", example="loopx schema list")
@page_options
def cli(_invocation: Invocation, page: Page) -> Document:
    """The contracts by name."""
    return list_schemas(page)
