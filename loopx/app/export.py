"""`export`: the whole work graph as one text that says the same wherever it is made."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from loopx.contracts.export_file import export_text, is_export
from loopx.contracts.export_goal import export_goal
from loopx.contracts.export_small import export_fact, export_foreign, export_met, export_origin
from loopx.contracts.export_todo import export_todo
from loopx.core.errors import TargetExistsError, UsageError
from loopx.core.value import Value
from loopx.files import kind_of_file, write_atomically
from loopx.store.export import all_todos, small_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from loopx.app.mutation import Document
    from loopx.app.project import Project, Snapshot
    from loopx.contracts.export_file import Record

EXPORT_SCHEMA = "export_v1"
_MARKS = ("[secret: ", "[local path]")
_LONGEST_HEADER = 1_000  # bytes
_SMALL = {"met": export_met, "fact": export_fact, "origin": export_origin, "foreign": export_foreign}


class Export(Value):
    """The text of an export and how many records of which kind it has."""

    text: str
    counts: dict[str, int]
    state: str | None

    @property
    def warnings(self) -> list[str]:
        """What a person should know before giving it away."""
        if not any(mark in self.text for mark in _MARKS):
            return []
        return ["credentials or local paths in texts were masked; the file has marks in their place"]


def export_graph(project: Project, goal_id: str | None) -> Export:
    """Everything of the work graph, of one goal or of all, on one snapshot; leases and tokens never leave.

    GoalNotFoundError for a goal that is named and does not exist.
    """

    def query(snapshot: Snapshot) -> Export:
        chosen = None if goal_id is None else snapshot.registry.goal(goal_id).goal_id
        records = list(_records(snapshot, chosen))
        counts: dict[str, int] = {}
        for record in records:
            counts[record["kind"]] = counts.get(record["kind"], 0) + 1
        return Export(export_text(records), counts, snapshot.state)

    return project.read(query)


def write_export(project: Project, goal_id: str | None, file: str, *, overwrite: bool) -> Document:
    """Write the export to a file, whole or not at all; an earlier export there is replaced.

    TargetExistsError for a file that is none, UsageError for a place among the state's own files.
    """
    target = os.path.abspath(file)
    if os.path.realpath(os.path.dirname(target)) == os.path.realpath(project.paths.folder):
        raise UsageError("an export does not lie among the state's own files", hint="Name a file in another folder.")
    _refuse_other_file(target, overwrite=overwrite)
    export = export_graph(project, goal_id)
    data = export.text.encode("utf-8")
    write_atomically(target, data)
    return {
        "schema_version": EXPORT_SCHEMA,
        "ok": True,
        "file": file,
        "bytes": len(data),
        "counts": export.counts,
        "state": export.state,
        "warnings": export.warnings,
    }


def _records(snapshot: Snapshot, goal_id: str | None) -> Iterator[Record]:
    for goal in snapshot.registry.goals():
        if goal_id in (None, goal.goal_id):
            yield from export_goal(goal)
    for todo in all_todos(snapshot.db, goal_id):
        yield export_todo(todo)
    for kind, export in _SMALL.items():
        yield from (export(row) for row in small_rows(snapshot.db, kind, goal_id))


def _refuse_other_file(target: str, *, overwrite: bool) -> None:
    try:
        found = os.stat(target)
    except OSError:
        return  # what is wrong with the place, the writing says
    if not os.path.isfile(target):
        raise UsageError(f"{os.path.basename(target)} is {kind_of_file(found.st_mode)}", hint="Name a regular file.")
    if overwrite or found.st_size == 0 or _is_ours(target):
        return
    raise TargetExistsError(
        f"{os.path.basename(target)} exists and is no loopx export",
        hint="Name a file that does not exist; --force replaces a regular file.",
    )


def _is_ours(target: str) -> bool:
    try:
        with open(target, "rb") as file:
            return is_export(file.readline(_LONGEST_HEADER))
    except OSError:
        return False
