"""The export as a file: JSON lines, the header first, then one record a line in one order and one spelling.

Two exports of the same state are the same bytes, wherever they were made, so that they can lie in a
repository and be compared and merged line by line (docs/decisions/0025-export.md).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from loopx.core.errors import ImportInvalidError
from loopx.core.foreign.json_file import read_json_lines
from loopx.core.foreign.record import Rejection, SourceFile
from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

FORMAT = "loopx-export"
VERSION = 1
# The kinds of records in the order of the file: what others name comes first.
KINDS = ("goal", "agent", "grant", "pool", "material", "criterion", "todo", "met", "fact", "origin", "foreign")
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_PLACES = {kind: place for place, kind in enumerate(KINDS)}
_LONGEST_ID = 2_000  # characters; ids of other tools are part of some

Record = dict[str, Any]  # JSON values; lives at the codec and in the merge only
Key = tuple[str, str]  # kind and id: what a record is known by


class Taken(Value):
    """A record of a file and its line."""

    line: int
    record: Record


class ExportFile(Value):
    """What a file holds, by key in file order, and the lines that cannot be taken."""

    records: dict[Key, Taken]
    rejections: tuple[Rejection, ...] = ()


def export_text(records: Iterable[Mapping[str, Any]]) -> str:
    """The whole file: header, then the records sorted by kind and id, each with its fields in order."""
    lines = [_ENCODER.encode({"format": FORMAT, "version": VERSION})]
    lines += [_ENCODER.encode(_in_order(record)) for record in sorted(records, key=_place)]
    return "\n".join(lines) + "\n"


def read_export(file: SourceFile) -> ExportFile:
    """The records of a file. ImportInvalidError for what is no export of a version that this program knows."""
    lines = read_json_lines(file)
    _refuse_foreign(file.path, lines.objects[0] if lines.objects else {})
    records: dict[Key, Taken] = {}
    rejections = list(lines.rejections)
    for value in lines.objects[1:]:
        fault = _fault(value, records)
        if fault is None:
            record: Record = dict(value)
            records[key_of(record)] = Taken(value.line, record)
        else:
            rejections.append(Rejection(value.line, *fault))
    return ExportFile(records, tuple(sorted(rejections, key=lambda row: row.line or 0)))


def is_export(first_line: bytes) -> bool:
    """Whether a file that begins with this line is one of ours."""
    try:
        header = json.loads(first_line)
    except (ValueError, RecursionError):
        return False
    return isinstance(header, dict) and header.get("format") == FORMAT


def key_of(record: Mapping[str, Any]) -> Key:
    """What the record is known by."""
    return record["kind"], record["id"]


def _in_order(record: Mapping[str, Any]) -> Record:
    head = {"kind": record["kind"], "id": record["id"]}
    return head | {name: record[name] for name in sorted(record) if name not in head}


def _place(record: Mapping[str, Any]) -> tuple[int, str, str]:
    kind = record["kind"]
    return _PLACES.get(kind, len(KINDS)), kind, record["id"]


def _refuse_foreign(path: str, header: Mapping[str, Any]) -> None:
    if header.get("format") != FORMAT:
        raise ImportInvalidError(
            f"{path} is no loopx export: its first line says no format {FORMAT!r}",
            hint="Name a file that `loopx export` wrote, or say with --from what it is.",
        )
    if header.get("version") != VERSION:
        raise ImportInvalidError(
            f"{path} has export version {header.get('version')!r}; this program knows {VERSION}",
            hint="Use the loopx that wrote it.",
            found=header.get("version"),
            known=VERSION,
        )


def _fault(value: Mapping[str, Any], records: Mapping[Key, Taken]) -> tuple[str, str] | None:
    kind, record_id = value.get("kind"), value.get("id")
    if not (isinstance(kind, str) and kind and isinstance(record_id, str) and 0 < len(record_id) <= _LONGEST_ID):
        return "record_unnamed", "the record says no kind and id"
    if (kind, record_id) in records:
        return "duplicate_id", f"the {kind} {record_id} stands twice"
    return None
