"""A marked block of lines in a text file, put in and taken out by bytes: the rest is never read as text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from loopx.app.setup.mark import LEAD, Mark, Wish, mark_in
from loopx.core.errors import SetupImpossibleError
from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable

_WIDE = (b"\xff\xfe", b"\xfe\xff")  # byte order marks of encodings in which a line end is not one byte


class Style(Value):
    """How a comment is written in a kind of file."""

    opening: str
    closing: str = ""

    def first_line(self, mark: Mark) -> str:
        return f"{self.opening}{mark}{self.closing}"

    @property
    def last_line(self) -> str:
        return f"{self.opening}loopx:end{self.closing}"


MARKDOWN = Style("<!-- ", " -->")
TOML = Style("# ")


class Found(Value):
    """Where a block stands in the file, without the line end behind its last line."""

    start: int
    end: int
    mark: Mark
    line_end: bytes


def find_block(data: bytes, style: Style) -> Found | None:
    """The block, or None. SetupImpossibleError where its marks are broken or double."""
    if data[:2] in _WIDE:
        raise SetupImpossibleError("the file is not UTF-8", hint="Store it as UTF-8 first.")
    firsts = list(_lines(data, re.escape(style.opening.encode()) + rb"loopx:setup v\d+[^\r\n]*"))
    lasts = list(_lines(data, re.escape(style.last_line.encode())))
    if not firsts and not lasts:
        return None
    if len(firsts) != 1 or len(lasts) != 1 or lasts[0][0] < firsts[0][1]:
        raise SetupImpossibleError(
            "the marks around what setup wrote are broken", hint="Take the marked lines out by hand, then run setup."
        )
    mark = mark_in(data[slice(*firsts[0])].decode("utf-8", "replace"))
    assert mark is not None
    line_end = b"\r\n" if data.startswith(b"\r\n", firsts[0][1]) else b"\n"
    return Found(firsts[0][0], lasts[0][1], mark, line_end)


def put_block(data: bytes, style: Style, body: Callable[[Mark], str], wish: Wish, made: int) -> bytes:
    """The file with the block: in its old place, or behind a blank line at the end."""
    found = find_block(data, style)
    if found is not None:
        piece = _piece(style, body, found.mark.wished(wish), found.line_end)
        return data[: found.start] + piece + data[found.end :]
    line_end = b"\r\n" if b"\r\n" in data else b"\n"
    before = b"" if not data else line_end if data.endswith((b"\n", b"\r")) else line_end * 2
    mark = Mark(LEAD, before=len(before), after=len(line_end), made=made).wished(wish)
    return data + before + _piece(style, body, mark, line_end) + line_end


def take_block(data: bytes, style: Style) -> bytes:
    """The file without the block and what came with it; lines that others added around it stay lines."""
    found = find_block(data, style)
    if found is None:
        return data
    start, end = found.start - found.mark.before, found.end + found.mark.after
    if not _is_empty(data, start, found.start):
        start = found.start
    if not _is_empty(data, found.end, end):
        end = found.end
    head, tail = data[:start], data[end:]
    glue = found.line_end if head and tail and not head.endswith((b"\n", b"\r")) else b""
    return head + glue + tail


def _is_empty(data: bytes, start: int, end: int) -> bool:
    """Whether there is nothing but line ends, as there was when the block came."""
    return start >= 0 and end <= len(data) and not data[start:end].strip(b"\r\n")


def _piece(style: Style, body: Callable[[Mark], str], mark: Mark, line_end: bytes) -> bytes:
    lines = (style.first_line(mark), *body(mark).strip("\n").split("\n"), style.last_line)
    return line_end.join(line.encode() for line in lines)


def _lines(data: bytes, pattern: bytes) -> list[tuple[int, int]]:
    return [found.span() for found in re.finditer(rb"(?m)^" + pattern + rb"(?=\r?$)", data)]
