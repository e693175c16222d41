"""`loopx import`."""

from __future__ import annotations

import gc
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from loopx.app.import_file import source_name
from loopx.app.import_path import KINDS, import_path
from loopx.app.import_records import Import
from loopx.cli.declare import ChoiceType, argument, flag, option
from loopx.cli.output import write_note
from loopx.cli.verb import verb
from loopx.core.foreign.record import ReadOptions
from loopx.core.text import checked_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("import", mutates=True, example="loopx import --goal-id ship --from checklist TODO.md --dry-run")
@argument("path", metavar="PATH")
@option("--from", "kind", type=ChoiceType(KINDS), required=True, help="What the file or folder is.")
@flag("--skip-invalid", help="Leave out lines that cannot be taken; otherwise one of them refuses the file.")
@flag("--nested-depends", help="An open item waits for the items that are inside it.")
@flag("--reverse-blocked-by", help="beads: an edge of type blocked-by means the reverse of blocks.")
@option("--repository", metavar="OWNER/NAME", help="github: whose issues they are, where the file does not say it.")
@option("--source", metavar="NAME", help="The name by which the file is known again (its path).")
def cli(
    invocation: Invocation,
    path: str,
    kind: str,
    skip_invalid: bool,
    nested_depends: bool,
    reverse_blocked_by: bool,
    repository: str | None,
    source: str | None,
) -> Document:
    """Take work over from other tools as todos; a second time, update what it became.

    What is finished there becomes done todos, and nothing that was claimed or edited here is overwritten.
    `--dry-run` tells what would happen; the table of each format is in docs/reference/import.md.
    """
    project = invocation.project()
    request = Import(
        kind=kind,
        source=source_name(project.location.root, path) if source is None else checked_text(source, field="--source"),
        nested=nested_depends,
        skip_invalid=skip_invalid,
        progress=None if invocation.is_json or not sys.stderr.isatty() else _show_progress,
    )
    call = invocation.call("checklist_imported" if kind == "checklist" else "records_imported")
    with _no_collection():
        return import_path(project, call, path, request, ReadOptions(reverse_blocked_by, repository))


@contextmanager
def _no_collection() -> Iterator[None]:
    """Millions of new values and no cycles among them: looking for some takes most of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _show_progress(done: int, total: int) -> None:
    write_note(f"{done} of {total} todos stored")
