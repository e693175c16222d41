"""Blocks as aligned text without colours: for pipes, files and other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.render.block import Block, Facts, Gap, Line, Table, Verbatim, filled_columns
from loopx.render.width import display_width, harmless, harmless_lines, padded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_BETWEEN = "  "


def plain_text(blocks: Iterable[Block]) -> str:
    """The blocks one under the other."""
    return "\n".join(line for block in blocks for line in _lines(block))


def _lines(block: Block) -> Iterable[str]:
    match block:
        case Line():
            return ["".join(harmless(span.text) for span in block.spans)]
        case Facts():
            return _fact_lines(block)
        case Table():
            return _table_lines(block)
        case Verbatim():
            return [block.text]
        case Gap():
            return [""]


def _fact_lines(block: Facts) -> Iterator[str]:
    width = max((display_width(name) for name, _ in block.rows), default=0)
    for name, value in block.rows:
        first, *rest = harmless_lines(value.text)
        yield f"{padded(name, width)}{_BETWEEN}{first}".rstrip()
        for line in rest:
            yield f"{' ' * width}{_BETWEEN}{line}".rstrip()


def _table_lines(block: Table) -> Iterator[str]:
    shown = filled_columns(block)
    rows = [[harmless(row[at].text) for at in shown] for row in block.rows]
    heading = [block.columns[at].upper() for at in shown]
    widths = [max(map(display_width, column)) for column in zip(heading, *rows, strict=True)]
    return (_aligned(row, widths) for row in (heading, *rows))


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    pairs = zip(cells, widths, strict=True)
    return _BETWEEN.join(padded(cell, width) for cell, width in pairs).rstrip()
