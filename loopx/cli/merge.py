"""`loopx merge`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.merge import merge_exports
from loopx.cli.declare import argument, option
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("merge", example="loopx merge base.jsonl ours.jsonl theirs.jsonl")
@argument("base", metavar="BASE")
@argument("ours", metavar="OURS")
@argument("theirs", metavar="THEIRS")
@option("--output", "target", metavar="FILE", help="Where the merge is written (over OURS).")
def cli(_invocation: Invocation, base: str, ours: str, theirs: str, target: str | None) -> Document:
    """Merge two exports by record and field; as a git merge driver: `loopx merge %O %A %B`.

    What needs a person is listed and leaves a conflict, with the value that won in the file.
    """
    return merge_exports(base, ours, theirs, target=target)
