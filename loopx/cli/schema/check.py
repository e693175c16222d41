"""`loopx schema check`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.schema import check_text
from loopx.cli.declare import argument
from loopx.cli.typed import read_file, read_stdin
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("check", example="loopx schema check answer.json")
@argument("file", metavar="FILE|-")
def cli(_invocation: Invocation, file: str) -> Document:
    """Hold a JSON document against the contract that it names; `-` reads standard input."""
    return check_text(read_stdin() if file == "-" else read_file(file))
