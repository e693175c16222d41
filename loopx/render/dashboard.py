"""Where the dashboard can be seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.render.block import Block, Span, Tone, line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def listening(document: Mapping[str, Any]) -> Iterator[Block]:
    """`dashboard`, once it answers."""
    yield line("Dashboard: ", Span(document["url"], Tone.STRONG))
    yield line(Span("The address holds the key of this launch. Ctrl-C ends it.", Tone.QUIET))
