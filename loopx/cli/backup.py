"""`loopx backup`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.backup import back_up
from loopx.cli.declare import argument, flag
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("backup", example="loopx backup ../ship.backup.db")
@argument("file", metavar="FILE")
@flag("--force", help="Replace a file of that name.")
def cli(invocation: Invocation, file: str, force: bool) -> Document:
    """Write a verified copy of the state into one file, while others work on."""
    return back_up(invocation.project(), file, overwrite=force)
