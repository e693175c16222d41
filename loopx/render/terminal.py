"""Blocks in colour on a terminal; the only module that knows rich."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from loopx.render.block import Block, Facts, Gap, Line, Span, Table, Tone, Verbatim, filled_columns
from loopx.render.width import harmless, harmless_lines

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import RenderableType

STYLES = {
    Tone.PLAIN: "",
    Tone.STRONG: "bold",
    Tone.QUIET: "dim",
    Tone.GOOD: "green",
    Tone.ALERT: "bold yellow",
    Tone.BAD: "bold red",
}


def painted_text(blocks: Iterable[Block], console: Console | None = None) -> str:
    """The blocks as the terminal shall get them, at its width and with the colours that it has."""
    console = console or Console(file=sys.stdout, highlight=False, emoji=False, markup=False)
    with console.capture() as capture:
        for block in blocks:
            console.print(_renderable(block), soft_wrap=isinstance(block, Verbatim))
    return capture.get()


def _renderable(block: Block) -> RenderableType:
    match block:
        case Line():
            return Text.assemble(*(_text(span) for span in block.spans))
        case Facts():
            return _facts(block)
        case Table():
            return _table(block)
        case Verbatim():
            return Text(block.text)
        case Gap():
            return ""


def _facts(block: Facts) -> Grid:
    grid = Grid.grid(padding=(0, 2, 0, 0))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in block.rows:
        text = "\n".join(harmless_lines(value.text))
        grid.add_row(name, Text(text, STYLES[value.tone]))
    return grid


def _table(block: Table) -> Grid:
    shown = filled_columns(block)
    grid = Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for at in shown:
        grid.add_column(block.columns[at].upper(), no_wrap=at != shown[-1], overflow="fold")
    for row in block.rows:
        grid.add_row(*(_text(row[at]) for at in shown))
    return grid


def _text(span: Span) -> Text:
    return Text(harmless(span.text), STYLES[span.tone])
