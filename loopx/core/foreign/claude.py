"""Task folders of Claude Code: a folder a list, a JSON file a task. They are another's, read while it writes there.

Nothing of the format is documented; what is read here was seen. A file that is half written is a rejection
with its path, one that went away is told by whoever read the folder.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.core.errors import ImportInvalidError
from loopx.core.foreign.fields import id_of, text_fault, text_of
from loopx.core.foreign.json_text import Flaw, JsonObject, JsonReader
from loopx.core.foreign.oddities import Oddities
from loopx.core.foreign.record import ForeignRecord, ForeignState, Reading, Rejection
from loopx.core.foreign.record_fields import RecordFields
from loopx.core.foreign.text_lines import FAULT_MESSAGES, text_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from loopx.core.foreign.record import ReadOptions, SourceFile

_DEPTH = 1  # lists lie directly in the folder that holds all of them
_STATES = {
    "pending": ForeignState.OPEN,
    "in_progress": ForeignState.STARTED,
    "completed": ForeignState.DONE,
    "deleted": ForeignState.DROPPED,
}


def wants(path: str, *, is_folder: bool) -> bool:
    """The tasks of one list, or of all lists in the folder of lists; not the locks and marks beside them."""
    *folders, name = path.split("/")
    if is_folder:
        return len(folders) < _DEPTH and not name.startswith(".")
    return name.endswith(".json") and name.removesuffix(".json").isdecimal() and len(folders) <= _DEPTH


def read(files: Sequence[SourceFile], options: ReadOptions) -> Reading:
    """The tasks of all files, those of one list in the order of their numbers."""
    reader = _Reader(in_folder=options.in_folder)
    for file in sorted(files, key=lambda file: _order(file.path)):
        reader.take(file)
    return reader.reading()


def _order(path: str) -> tuple[str, int, str]:
    folder, _, name = path.rpartition("/")
    stem = name.removesuffix(".json")
    return folder, int(stem) if stem.isdecimal() else 0, name


class _Reader:
    """Takes file after file; who blocks whom is known when all of them are read."""

    def __init__(self, *, in_folder: bool) -> None:
        self._in_folder = in_folder
        self._records: list[ForeignRecord] = []
        self._rejections: list[Rejection] = []
        self._blockers: dict[str, list[str]] = {}  # task → who says of itself that it blocks it
        self._oddities = Oddities()

    def take(self, file: SourceFile) -> None:
        """Read one task."""
        value = _object_of(file)
        if isinstance(value, Flaw):
            self._reject(file, value)
            return
        path = file.path if self._in_folder else None
        folder, _, name = file.path.rpartition("/")
        fields = RecordFields(value, self._oddities, None, path)
        text = text_of(fields.text("subject"), fields.text("description"))
        fault = text_fault(text)
        if fault is not None:
            self._reject(file, Flaw(1, *fault))
            return
        number = id_of(fields.raw("id")) or name.removesuffix(".json")
        source_id = _joined(folder, number)
        for blocked in _ids(fields, "blocks"):
            self._blockers.setdefault(_joined(folder, blocked), []).append(source_id)
        self._records.append(
            ForeignRecord(
                source_id=source_id,
                text=text,
                state=_state(fields),
                path=path,
                depends_on=tuple(_joined(folder, other) for other in _ids(fields, "blockedBy")),
                labels=(folder,) if folder else (),
                assignee=fields.word("owner"),
                created_at=fields.instant("createdAt"),
                updated_at=fields.instant("updatedAt"),
                extra=fields.extra(),
            )
        )

    def reading(self) -> Reading:
        """The tasks, each waiting for those that say that they block it too."""
        records = (
            record._replace(
                depends_on=tuple(dict.fromkeys((*record.depends_on, *self._blockers.get(record.source_id, ()))))
            )
            for record in self._records
        )
        return Reading(tuple(records), tuple(self._rejections), self._oddities.notes())

    def _reject(self, file: SourceFile, flaw: Flaw) -> None:
        path = file.path if self._in_folder else None
        self._rejections.append(Rejection(flaw.line, str(flaw.fault), flaw.message, path=path))


def _object_of(file: SourceFile) -> JsonObject | Flaw:
    try:
        lines = list(text_lines(file.data))
    except ImportInvalidError as exc:
        return Flaw(1, "file_empty" if not file.data.strip() else "not_utf8", exc.message)
    for line in lines:
        if line.fault is not None:
            return Flaw(line.number, line.fault, FAULT_MESSAGES[line.fault])
    value = JsonReader().read("\n".join(line.text for line in lines))
    if isinstance(value, JsonObject):
        return value.flaw or value
    return value if isinstance(value, Flaw) else Flaw(1, "no_object", "the file is no JSON object")


def _state(fields: RecordFields) -> ForeignState:
    status = fields.raw("status")
    if isinstance(status, str) and status in _STATES:
        return _STATES[status]
    if status is not None:
        fields.unknown("status", "it was taken as pending")
    return ForeignState.OPEN


def _ids(fields: RecordFields, name: str) -> list[str]:
    """The ids of a list; what is none is kept as it is."""
    found: Any = fields.raw(name)
    ids = [other for one in found if (other := id_of(one)) is not None] if isinstance(found, list) else []
    if found is not None and len(ids) != (len(found) if isinstance(found, list) else 0):
        fields.keep(name)
    return ids


def _joined(folder: str, number: str) -> str:
    """Numbers are unique in a list only."""
    return f"{folder}/{number}" if folder else number
