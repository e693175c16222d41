"""Materials and how agents stand to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.render.block import Block, Span, Tone, facts, line, table
from loopx.render.fallback import shown
from loopx.render.receipt import event_words, foot, receipt_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Document = Mapping[str, Any]

_TONES = {
    "current": Tone.GOOD,
    "stale": Tone.ALERT,
    "required_unread": Tone.ALERT,
    "missing": Tone.BAD,
    "inaccessible": Tone.BAD,
}


def state_span(state: str) -> Span:
    """A material's state in its tone."""
    return Span(state, _TONES[state])


def one(document: Document) -> Iterator[Block]:
    """`material add` and `material ack`."""
    value = document["material"]
    yield line(event_words(document) + ": ", Span(value["material_id"], Tone.STRONG), f" on {document['goal_id']}")
    yield facts(
        [
            ("reference", value["reference"]),
            ("revision", value["revision"] or ""),
            ("relation", value["relation"] or ""),
            ("purpose", value["purpose"] or ""),
            ("required for", shown(value["required_for"])),
            (value["fault"] or "", value["why"] or ""),
        ]
    )
    yield from receipt_blocks(document)


def many(document: Document) -> Iterator[Block]:
    """`material list`."""
    rows = document["materials"]
    if rows:
        columns = ("material", "kind", "reference", "revision", "required for", "fault", "why", "purpose")
        yield table(columns, map(_listed, rows))
    yield foot(document, len(rows), "material")


def _listed(row: Mapping[str, Any]) -> list[str | Span]:
    return [
        Span(row["material_id"], Tone.STRONG),
        row["kind"] or "",
        row["reference"],
        row["revision"] or "",
        shown(row["required_for"]),
        state_span(row["fault"]) if row["fault"] else "",
        row["why"] or "",
        row["purpose"] or "",
    ]


def status(document: Document) -> Iterator[Block]:
    """`material status`."""
    rows = document["materials"]
    if rows:
        columns = ("material", "state", "reference", "revision", "read", "next")
        yield table(columns, map(_standing, rows))
    yield foot(document, len(rows), "material")


def _standing(row: Mapping[str, Any]) -> list[str | Span]:
    return [
        Span(row["material_id"], Tone.STRONG),
        state_span(row["state"]),
        row["reference"],
        row["revision"] or "",
        row["read_revision"] or "",
        row["next_command"] or "",
    ]
