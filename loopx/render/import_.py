"""What an import did or would do, and what an export or a merge wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.render.block import Block, Gap, Span, Tone, facts, line, table, title
from loopx.render.receipt import receipt_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_TONES = {"added": Tone.GOOD, "updated": Tone.STRONG, "completed": Tone.GOOD, "kept": Tone.ALERT}
_CHANGES = ("added", "updated", "completed")


def imported(document: Mapping[str, Any]) -> Iterator[Block]:
    """`import`."""
    counts = document["counts"]
    into = f" into {document['goal_id']}" if document["goal_id"] else ""
    yield line(f"{document['from']} ", Span(document["source"], Tone.STRONG), into)
    yield facts((name.replace("_", " "), str(count)) for name, count in counts.items() if count)
    yield from _rows("Changes", document["changes"], sum(counts[step] for step in _CHANGES))
    yield from _rows("Kept as it is", document["kept"], counts["kept"])
    yield from _remarks("Lines that cannot be taken", document["rejected"], counts["rejected"], Tone.BAD)
    yield from _remarks("Worth knowing", document["notes"], counts["notes"], Tone.ALERT)
    yield from _gone(document["gone"], counts["gone"])
    yield Gap()
    if document["receipt"] is None:
        yield line(Span("The file says nothing new; nothing was written.", Tone.QUIET))
    yield from receipt_blocks(document)


def exported(document: Mapping[str, Any]) -> Iterator[Block]:
    """`export`."""
    yield line(Span("Exported: ", Tone.GOOD), document["file"])
    yield facts((kind, str(count)) for kind, count in document["counts"].items())


def merged(document: Mapping[str, Any]) -> Iterator[Block]:
    """`merge`."""
    yield line(Span("Merged: ", Tone.GOOD), document["file"])
    yield facts([("records", str(document["records"]))])


def _rows(heading: str, rows: list[Mapping[str, Any]], total: int) -> Iterator[Block]:
    if rows:
        yield from _heading(heading, len(rows), total)
        yield table(
            ("line", "step", "why", "todo", "text"),
            (
                [
                    _place(row),
                    Span(row["step"], _TONES[row["step"]]),
                    row["reason_code"] or "",
                    row["todo_id"],
                    row["text"],
                ]
                for row in rows
            ),
        )


def _remarks(heading: str, rows: list[Mapping[str, Any]], total: int, tone: Tone) -> Iterator[Block]:
    if rows:
        yield from _heading(heading, len(rows), total)
        yield table(
            ("line", "why", "what"),
            ([_place(row), Span(row["reason_code"], tone), row["message"]] for row in rows),
        )


def _place(row: Mapping[str, Any]) -> str:
    """Where it stands, as compilers say it."""
    return ":".join(str(part) for part in (row.get("path"), row["line"]) if part is not None)


def _gone(rows: list[Mapping[str, Any]], total: int) -> Iterator[Block]:
    if rows:
        yield from _heading("Open here and not in the file any more", len(rows), total)
        yield table(("todo", "text"), ([row["todo_id"], row["text"]] for row in rows))


def _heading(text: str, shown: int, total: int) -> Iterator[Block]:
    yield Gap()
    yield title(text if shown == total else f"{text} (the first {shown} of {total})")
