"""`loopx where`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.where import where
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("where", example="loopx where --format json")
def cli(invocation: Invocation) -> Document:
    """Which state this call would use, how it was found, its file system and the versions."""
    return where(invocation.project())
