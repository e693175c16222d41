"""`loopx restore`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.restore import restore
from loopx.cli.declare import argument, flag
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("restore", mutates=True, example="loopx restore ../ship.backup.db --reason 'a wrong import'")
@argument("file", metavar="FILE")
@flag("--force", help="Take a backup of another project too.")
def cli(invocation: Invocation, file: str, force: bool) -> Document:
    """Bring a backup back, verified first; the replaced state is kept, the registry stays as it is."""
    return restore(invocation.project(), invocation.call("restored"), file, force=force)
