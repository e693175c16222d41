"""What every mutation says at its end, and every list at its foot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.render.block import Block, Span, Tone, line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def receipt_blocks(document: Mapping[str, Any]) -> Iterator[Block]:
    """Whether anything was written, under which grant, and what may be run next."""
    receipt = document.get("receipt")
    if receipt is None:
        return
    if document.get("dry_run"):
        yield line(Span("Dry run: nothing was written.", Tone.ALERT))
    elif receipt["replayed"]:
        yield line(Span("The answer of an earlier call with this operation id.", Tone.QUIET))
    if receipt["mode"]:
        reason = f": {receipt['authority_reason']}" if receipt["authority_reason"] else ""
        yield line(Span(f"By the grant to {receipt['authority_action']} a peer's work{reason}", Tone.ALERT))
    if receipt["next_command"]:
        yield line(Span("Next: ", Tone.QUIET), receipt["next_command"])


def event_words(document: Mapping[str, Any]) -> str:
    """The event of a mutation in words: `todo added`."""
    return str(document["receipt"]["event"]).replace("_", " ")


def foot(document: Mapping[str, Any], shown: int, noun: str) -> Block:
    """How many there are, and how to get the rest."""
    total = int(document["total"])
    counted = f"{total} {noun}" + ("" if total == 1 else "s")
    if not document["truncated"]:
        return line(Span(counted, Tone.QUIET))
    return line(Span(f"{shown} of {counted}; go on with --cursor {document['next_cursor']}", Tone.ALERT))
