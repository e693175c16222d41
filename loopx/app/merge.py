"""`merge`: two exports that came of one become one, as a git merge driver or by hand; no project is needed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from loopx.app.import_file import read_import_file
from loopx.contracts.export_file import ExportFile, export_text, read_export
from loopx.core.errors import ImportInvalidError, MergeConflictError
from loopx.core.foreign.record import SourceFile
from loopx.core.merge import merge
from loopx.files import write_atomically

if TYPE_CHECKING:
    from loopx.app.mutation import Document
    from loopx.contracts.export_file import Key, Record
    from loopx.core.merge import Conflict, Merged

MERGE_SCHEMA = "merge_v1"
_SHOWN = 50


def merge_exports(base: str, ours: str, theirs: str, *, target: str | None = None) -> Document:
    """Write the merge of two exports over `ours`, or to `target`, whole or not at all.

    MergeConflictError where a person must look at what both changed; the file then holds the merge with the
    value that won. ImportInvalidError, and nothing written, for a file with conflict markers or bad lines.
    """
    sides = [_records(path) for path in (base, ours, theirs)]
    merged = merge(*sides)
    written = target or ours
    write_atomically(os.path.abspath(written), export_text(merged.records.values()).encode("utf-8"))
    if merged.conflicts:
        raise _conflict(written, merged)
    return {
        "schema_version": MERGE_SCHEMA,
        "ok": True,
        "file": written,
        "records": len(merged.records),
        "warnings": [],
    }


def _records(path: str) -> dict[Key, Record]:
    """The records of a file; an empty one has none, as git gives it where there is no common ancestor."""
    data = read_import_file(path)
    name = os.path.basename(path)
    export = read_export(SourceFile(name, data)) if data.strip() else ExportFile({})
    if export.rejections:
        first = export.rejections[0]
        raise ImportInvalidError(
            f"{name}, line {first.line}: {first.message} (lines that cannot be taken: {len(export.rejections)})",
            hint="Mend these lines first, then merge again; nothing was written.",
            rejected=[
                {"line": row.line, "reason_code": row.reason_code, "message": row.message}
                for row in export.rejections[:_SHOWN]
            ],
            rejected_total=len(export.rejections),
        )
    return {key: taken.record for key, taken in export.records.items()}


def _conflict(written: str, merged: Merged) -> MergeConflictError:
    conflicts = merged.conflicts
    first = conflicts[0]
    return MergeConflictError(
        f"both sides changed {first.field} of {first.kind} {first.record_id}"
        f" (conflicts that need a person: {len(conflicts)})",
        hint=f"{os.path.basename(written)} holds the merge with the value that won; look at these fields in it.",
        conflicts=[_row(conflict) for conflict in conflicts[:_SHOWN]],
        conflicts_total=len(conflicts),
        records=len(merged.records),
    )


def _row(conflict: Conflict) -> Document:
    return {
        "kind": conflict.kind,
        "id": conflict.record_id,
        "field": conflict.field,
        "taken": conflict.taken.value,
    }
