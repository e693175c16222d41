"""`loopx undo`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.undo import undo
from loopx.cli.declare import option
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("undo", mutates=True, example="loopx undo --operation op_0123456789 --reason 'the wrong todo'")
@option("--operation", required=True, metavar="ID", help="The operation id that its receipt and the log tell.")
def cli(invocation: Invocation, operation: str) -> Document:
    """Take one operation back, if nothing later builds on it; what it created is superseded."""
    return undo(invocation.project(), invocation.call("operation_undone"), operation)
