"""The health of the project: what is wrong first, and what was settled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.render.block import Block, Span, Tone, facts, line, table, title
from loopx.render.receipt import receipt_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Document = Mapping[str, Any]

_TONES = {"error": Tone.BAD, "warning": Tone.ALERT, "info": Tone.QUIET}
_COLUMNS = ("severity", "code", "subject", "what", "fix")


def examined(document: Document) -> Iterator[Block]:
    """`doctor`."""
    if document["healthy"]:
        yield line(Span("The state is sound.", Tone.GOOD))
    else:
        yield line(Span("The state cannot be trusted as it is.", Tone.BAD))
    if document["findings"]:
        yield table(_COLUMNS, map(_row, document["findings"]))
    if document["truncated"]:
        yield line(Span(f"{document['total']} findings; the first of each kind are shown", Tone.ALERT))
    yield from _settled(document)
    yield from receipt_blocks(document)


def backed_up(document: Document) -> Iterator[Block]:
    """`backup`."""
    yield line(Span("Backed up and verified: ", Tone.GOOD), document["file"])
    yield facts([("todos", str(document["todos"])), ("up to event", str(document["sequence"]))])


def restored(document: Document) -> Iterator[Block]:
    """`restore`."""
    yield line(Span("Restored from ", Tone.GOOD), document["file"], f", up to event {document['sequence']}")
    yield facts([("replaced state", document["replaced"]), ("its registry", document["registry_kept"])])
    yield from receipt_blocks(document)


def _settled(document: Document) -> Iterator[Block]:
    if document.get("backup"):
        yield line("Backed up first: ", document["backup"])
    if document.get("fixed"):
        yield title("Settled")
        yield table(_COLUMNS[:-1], (_row(finding)[:-1] for finding in document["fixed"]))


def _row(finding: Mapping[str, Any]) -> list[str | Span]:
    return [
        Span(finding["severity"], _TONES[finding["severity"]]),
        finding["code"],
        Span(finding["subject"], Tone.STRONG),
        finding["message"],
        "doctor --fix" if finding["fixable"] else "",
    ]
