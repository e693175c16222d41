"""`loopx import`."""

from __future__ import annotations

import gc
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from loopx.app.import_checklist import ChecklistImport, import_checklist
from loopx.app.import_file import read_import_file, source_name
from loopx.cli.declare import ChoiceType, argument, flag, option
from loopx.cli.output import write_note
from loopx.cli.verb import verb
from loopx.core.checklist import read_checklist
from loopx.core.text import checked_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("import", mutates=True, example="loopx import --goal-id ship --from checklist TODO.md --dry-run")
@argument("path", metavar="PATH")
@option("--from", "kind", type=ChoiceType(("checklist",)), required=True, help="What the file is.")
@flag("--skip-invalid", help="Leave out lines that cannot be taken; otherwise one of them refuses the file.")
@flag("--nested-depends", help="An open item waits for the items that are indented under it.")
@option("--source", metavar="NAME", help="The name by which the file is known again (its path).")
def cli(
    invocation: Invocation,
    path: str,
    kind: str,  # noqa: ARG001 - one kind so far; a wrong one has been refused
    skip_invalid: bool,
    nested_depends: bool,
    source: str | None,
) -> Document:
    """Take a Markdown checklist over as todos; a second time, update what it became.

    Ticked boxes become done todos, `[Pn]` stays the priority, and nothing that was claimed or edited
    here is overwritten. `--dry-run` tells what would happen.
    """
    call = invocation.call("checklist_imported")
    project = invocation.project()
    named = source_name(project.location.root, path) if source is None else checked_text(source, field="--source")
    with _no_collection():
        request = ChecklistImport(
            checklist=read_checklist(read_import_file(path)),
            source=named,
            nested=nested_depends,
            skip_invalid=skip_invalid,
            progress=None if invocation.is_json or not sys.stderr.isatty() else _show_progress,
        )
        return import_checklist(project, call, request)


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
