"""`loopx schema check`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from loopx.app.schema import check_text
from loopx.cli.verb import read_file, read_stdin, verb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("check", example="loopx schema check answer.json")
@click.argument("file", metavar="FILE|-")
def cli(_invocation: Invocation, file: str) -> Document:
    """Hold a JSON document against the contract that it names; `-` reads standard input."""
    return check_text(read_stdin() if file == "-" else read_file(file))
