"""The records of an export as values; what cannot be one is a rejection with its line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.contracts.export_field import FieldError
from loopx.contracts.export_file import KINDS, Taken, read_export
from loopx.contracts.export_goal import PARTS, goal_id_of, goal_of_records
from loopx.contracts.export_small import row_of_export
from loopx.contracts.export_todo import KIND as TODO
from loopx.contracts.export_todo import todo_of_export, unknown_fields
from loopx.core.foreign.record import Note, Rejection, SourceFile
from loopx.core.restore_plan import Exported
from loopx.core.value import Value

if TYPE_CHECKING:
    from loopx.contracts.export_file import Record
    from loopx.core.goal import Goal

_GOAL = "goal"


class ReadExport(Value):
    """What an export says: goals with their parts, todos, rows of the small tables by kind."""

    goals: list[Goal]
    todos: list[Exported]
    rows: dict[str, list[dict[str, Any]]]
    records: dict[str, Record]  # of the todos, as they stand
    rejections: tuple[Rejection, ...]
    notes: tuple[Note, ...]


def read_records(file: SourceFile) -> ReadExport:
    """The values of a file. ImportInvalidError for what is no export."""
    reader = _Reader()
    export = read_export(file)
    for (kind, _), taken in export.records.items():
        reader.take(kind, taken)
    reader.join_goals()
    rejections = sorted((*export.rejections, *reader.rejections), key=lambda row: row.line or 0)
    return ReadExport(reader.goals, reader.todos, reader.rows, reader.records, tuple(rejections), tuple(reader.notes))


class _Reader:
    """Takes record after record; goals are joined of their parts at the end."""

    def __init__(self) -> None:
        self.goals: list[Goal] = []
        self.todos: list[Exported] = []
        self.rows: dict[str, list[dict[str, Any]]] = {}
        self.records: dict[str, Record] = {}
        self.rejections: list[Rejection] = []
        self.notes: list[Note] = []
        self._goals: dict[str, Taken] = {}
        self._parts: dict[str, list[Taken]] = {}

    def take(self, kind: str, taken: Taken) -> None:
        """Read one record; goals wait for their parts."""
        if kind == TODO:
            self._take_todo(taken)
        elif kind == _GOAL:
            self._goals[taken.record["id"]] = taken
        elif kind in PARTS:
            self._parts.setdefault(goal_id_of(taken.record), []).append(taken)
        elif kind in KINDS:
            self._take_row(kind, taken)
        else:
            self.notes.append(Note("kind_unknown", f"a record of kind {kind!r} was left out", taken.line))

    def join_goals(self) -> None:
        """Make the goals; one whose part cannot be taken cannot be taken as a whole."""
        for goal_id, taken in self._goals.items():
            parts = [part.record for part in self._parts.pop(goal_id, ())]
            try:
                self.goals.append(goal_of_records(taken.record, parts))
            except FieldError as exc:
                self._reject(taken, f"the goal {goal_id}: {exc}")
        for parts_of_none in self._parts.values():
            for part in parts_of_none:
                self._reject(part, f"the {part.record['kind']} belongs to a goal that is not in the file")

    def _take_todo(self, taken: Taken) -> None:
        try:
            todo = todo_of_export(taken.record)
        except FieldError as exc:
            self._reject(taken, str(exc))
            return
        self.todos.append(Exported(todo, taken.line))
        self.records[todo.todo_id] = taken.record
        unknown = unknown_fields(taken.record)
        if unknown:
            fields = ", ".join(unknown)
            self.notes.append(Note("field_unknown", f"not known here and left out: {fields}", taken.line))

    def _take_row(self, kind: str, taken: Taken) -> None:
        try:
            self.rows.setdefault(kind, []).append(row_of_export(taken.record))
        except FieldError as exc:
            self._reject(taken, str(exc))

    def _reject(self, taken: Taken, message: str) -> None:
        self.rejections.append(Rejection(taken.line, "field_invalid", message, taken.record["id"]))
