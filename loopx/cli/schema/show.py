"""`loopx schema show`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.schema import show_schema
from loopx.cli.declare import argument
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("show", example="loopx schema show todo_v1")
@argument("name", metavar="NAME")
def cli(_invocation: Invocation, name: str) -> Document:
    """One contract, as JSON Schema (2020-12)."""
    return show_schema(name)
