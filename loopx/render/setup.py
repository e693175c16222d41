"""What `setup` and `prime` say to people and to sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.render.block import Block, Span, Tone, Verbatim, line, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Document = Mapping[str, Any]


def pieces(document: Document) -> Iterator[Block]:
    """`setup`: every file, how it was found and what was done."""
    yield table(("file", "was", "change"), map(_row, document["files"]))
    if document["action"] == "remove":
        yield line(f"What setup wrote for {document['target']} is taken out.")
    elif document["current"]:
        yield line(Span(f"{document['target']} is set up.", Tone.GOOD))
    else:
        yield line(Span(f"{document['target']} is not set up as it would be now.", Tone.ALERT))


def start_text(document: Document) -> Iterator[Block]:
    """`prime`: the text itself."""
    yield Verbatim(document["text"])


def _row(file: Mapping[str, Any]) -> list[str | Span]:
    return [Span(file["path"], Tone.STRONG), file["state"], "" if file["change"] == "none" else file["change"]]
