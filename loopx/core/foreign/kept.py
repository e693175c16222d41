"""What is kept of a foreign record beside its todo: everything that a todo has no place for.

The text is stored with the todo, shown by `todo show`, exported again, and compared at the next import.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from loopx.core.instant import format_instant
from loopx.core.value import Value

if TYPE_CHECKING:
    from loopx.core.foreign.record import ForeignRecord

_ENCODER = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"), sort_keys=True)
_DATES = ("created_at", "closed_at", "resume_at")
_PLAIN = ("parent", "assignee", "question")
_LISTS = ("depends_on", "labels")


class Kept(Value):
    """What the next import compares of it."""

    depends_on: tuple[str, ...] = ()
    question: str | None = None
    acceptance: tuple[str, ...] = ()


def kept_text(record: ForeignRecord) -> str | None:
    """The JSON text of what has no place in a todo, in one spelling; None where there is nothing.

    The source's `updated_at` is not in it: that it was touched is no news by itself.
    """
    kept: dict[str, Any] = {name: value for name in _PLAIN if (value := getattr(record, name)) is not None}
    kept |= {name: list(values) for name in _LISTS if (values := getattr(record, name))}
    kept |= {name: format_instant(at) for name in _DATES if (at := getattr(record, name)) is not None}
    if record.links:
        kept["links"] = [{"kind": link.kind, "target": link.target} for link in record.links]
    if record.acceptance:
        kept["acceptance"] = [{"text": box.text, "ticked": box.is_ticked} for box in record.acceptance]
    if record.extra:
        kept["extra"] = dict(record.extra)
    if record.own is not None:
        kept["own"] = {name: value for name, value in zip(record.own._fields, record.own, strict=True) if value}
    return _ENCODER.encode(kept) if kept else None


def read_kept(text: str | None) -> Kept:
    """The value of that text."""
    if text is None:
        return Kept()
    kept = json.loads(text)
    return Kept(
        tuple(kept.get("depends_on", ())),
        kept.get("question"),
        tuple(box["text"] for box in kept.get("acceptance", ())),
    )
