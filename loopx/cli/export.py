"""`loopx export`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.export import export_graph, write_export
from loopx.cli.declare import argument, flag
from loopx.cli.output import write_note, write_text
from loopx.cli.verb import verb
from loopx.core.errors import UsageError

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("export", example="loopx export loopx.jsonl")
@argument("file", metavar="FILE")
@flag("--force", help="Replace a file that is no export.")
def cli(invocation: Invocation, file: str, force: bool) -> Document | None:
    """Write the work graph as JSON lines, of all goals or with --goal-id of one; `-` is standard output.

    The same state gives the same bytes. Leases, tokens and claims on open work stay; credentials and local
    paths are masked.
    """
    project = invocation.project()
    if file != "-":
        return write_export(project, invocation.goal_id, file, overwrite=force)
    if invocation.is_json:
        raise UsageError(
            "standard output holds one JSON document, and an export has one a line",
            hint="Name a file, or leave out --format json (and LOOPX_FORMAT).",
        )
    export = export_graph(project, invocation.goal_id)
    write_text(export.text)
    write_note(", ".join(f"{kind} {count}" for kind, count in export.counts.items()))
    for warning in export.warnings:
        write_note(f"warning: {warning}")
    return None
