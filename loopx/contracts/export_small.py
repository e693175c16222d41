"""The small tables as records of an export, and back: facts, criteria met, origins, what is kept of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from loopx.contracts.export_field import FieldError, name_field, read_field, text_field, time_field, todo_id_field
from loopx.core.instant import format_instant
from loopx.core.secret import masked
from loopx.core.text import TEXT_LIMIT_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from loopx.contracts.export_file import Record

_TABLES = {"fact": "facts", "met": "criteria_met", "origin": "origins", "foreign": "foreign_records"}
_LONGEST_SOURCE = 1_000  # characters of a source's name and of an id in it


def table_of(kind: str) -> str:
    """The table whose rows are records of that kind."""
    return _TABLES[kind]


def export_fact(row: Mapping[str, Any]) -> Record:
    """A row of `facts`."""
    return {
        "kind": "fact",
        "id": row["fact"],
        "evidence": masked(row["evidence"]),
        "recorded_by": row["recorded_by"],
        "recorded_at": format_instant(row["recorded_at"]),
    }


def export_met(row: Mapping[str, Any]) -> Record:
    """A row of `criteria_met`."""
    record: Record = {
        "kind": "met",
        "id": f"{row['goal_id']} {row['criterion_id']}",
        "evidence": masked(row["evidence"]),
        "met_by": row["met_by"],
        "met_at": format_instant(row["met_at"]),
    }
    return record if row["todo_id"] is None else record | {"todo_id": row["todo_id"]}


def export_origin(row: Mapping[str, Any]) -> Record:
    """A row of `origins`: its three keys in one JSON text, because the names of sources hold anything."""
    key = json.dumps([row["goal_id"], row["source"], row["source_id"]], ensure_ascii=False, separators=(",", ":"))
    return {"kind": "origin", "id": key, "todo_id": row["todo_id"], "seen": row["seen"]}


def export_foreign(row: Mapping[str, Any]) -> Record:
    """A row of `foreign_records`."""
    return {"kind": "foreign", "id": row["todo_id"], "kept": _masked_within(json.loads(row["kept"]))}


def row_of_export(record: Mapping[str, Any]) -> dict[str, Any]:
    """The row of a record of one of these kinds. FieldError."""
    return _READERS[record["kind"]](record)


def _fact(record: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "fact": read_field("id", text_field, record["id"]),
        "evidence": _get(record, "evidence", text_field),
        "recorded_by": _get(record, "recorded_by", name_field),
        "recorded_at": _get(record, "recorded_at", time_field),
    }


def _met(record: Mapping[str, Any]) -> dict[str, Any]:
    goal_id, _, criterion_id = record["id"].partition(" ")
    return {
        "goal_id": read_field("id", name_field, goal_id),
        "criterion_id": read_field("id", name_field, criterion_id),
        "evidence": _evidence(record),
        "todo_id": _get(record, "todo_id", todo_id_field) if "todo_id" in record else None,
        "met_by": _get(record, "met_by", name_field),
        "met_at": _get(record, "met_at", time_field),
    }


def _evidence(record: Mapping[str, Any]) -> str:
    """A person's action may go without evidence, so that what it met has an empty one."""
    evidence = record.get("evidence", "")
    return evidence if evidence == "" else str(read_field("evidence", text_field, evidence))


def _origin(record: Mapping[str, Any]) -> dict[str, Any]:
    try:
        key = json.loads(record["id"])
    except (ValueError, RecursionError):
        key = None
    if not isinstance(key, list) or len(key) != 3:
        raise FieldError("id is not the goal, the source and the id in it")
    goal_id, source, source_id = (read_field("id", _source_text, part) for part in key)
    return {
        "goal_id": goal_id,
        "source": source,
        "source_id": source_id,
        "todo_id": _get(record, "todo_id", todo_id_field),
        "seen": _get(record, "seen", _seen),
    }


def _foreign(record: Mapping[str, Any]) -> dict[str, Any]:
    kept = record.get("kept")
    if not isinstance(kept, dict):
        raise FieldError("kept is no object")
    text = json.dumps(kept, ensure_ascii=True, separators=(",", ":"), sort_keys=True)
    if len(text) > TEXT_LIMIT_BYTES:
        raise FieldError(f"kept is larger than {TEXT_LIMIT_BYTES} bytes")
    return {"todo_id": read_field("id", todo_id_field, record["id"]), "kept": text}


def _source_text(value: Any) -> str:
    return text_field(value, most=_LONGEST_SOURCE)


def _seen(value: Any) -> str:
    from loopx.core.import_plan import Seen

    text = text_field(value, most=_LONGEST_SOURCE)
    if str(Seen.read(text)) != text:
        raise FieldError("is not what an import remembers")
    return text


def _get(record: Mapping[str, Any], name: str, read: Callable[[Any], Any]) -> Any:
    return read_field(name, read, record.get(name))


def _masked_within(value: Any) -> Any:
    """The JSON value with every text in it masked; no deeper than what was read, so that it may recurse."""
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, list):
        return [_masked_within(one) for one in value]
    if isinstance(value, dict):
        return {name: _masked_within(one) for name, one in value.items()}
    return value


_READERS: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "fact": _fact,
    "met": _met,
    "origin": _origin,
    "foreign": _foreign,
}
