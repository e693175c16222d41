"""The lines of a foreign text file: numbered, decoded one by one, and what makes a line unusable.

One line that is not UTF-8 spoils that line and no other. A file that is no text at all is refused whole.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from loopx.core.errors import ImportInvalidError
from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_BOM = b"\xef\xbb\xbf"
_WIDE_BOMS = (b"\xff\xfe", b"\xfe\xff")  # of UTF-16, and of UTF-32 with the first bytes alike
_START, _END = "<<<<<<<", ">>>>>>>"
_MIDDLE = ("=======", "|||||||")
_MARK_LENGTH = 7  # git's; a longer row of the same sign is a drawn rule


class LineFault(StrEnum):
    NOT_UTF8 = "not_utf8"
    NUL = "nul"
    CONFLICT_MARKER = "conflict_marker"
    IN_CONFLICT = "in_conflict"  # one of the two sides of a merge that nobody settled


FAULT_MESSAGES = {
    LineFault.NOT_UTF8: "the line is not UTF-8",
    LineFault.NUL: "the line holds a NUL character",
    LineFault.CONFLICT_MARKER: "a merge conflict was not resolved here",
    LineFault.IN_CONFLICT: "the line stands inside an unresolved merge conflict",
}


class Line(Value):
    """A line without its end; `fault` says why it cannot be used."""

    number: int
    text: str
    fault: LineFault | None = None


def text_lines(data: bytes) -> Iterator[Line]:
    """Every line with its number from 1 on; BOM, CRLF and CR do not matter.

    ImportInvalidError for UTF-16 and UTF-32, and for a file of nothing but white space.
    """
    return _judged(_decoded(_with_plain_ends(data)))


def sound_text(data: bytes) -> str | None:
    """The whole text of a file in which no line can have a fault; None where `text_lines` has to look.

    The same refusals.
    """
    plain = _with_plain_ends(data)
    if b"\x00" in plain or _START.encode() in plain or _END.encode() in plain:
        return None
    try:
        return plain.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _with_plain_ends(data: bytes) -> bytes:
    if data.startswith(_WIDE_BOMS):
        raise ImportInvalidError("the file is UTF-16 or UTF-32, not UTF-8", hint="Save it as UTF-8 first.")
    data = data.removeprefix(_BOM)
    if not data.strip():
        raise ImportInvalidError("the file is empty", hint="Name the file that holds the work.")
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").removesuffix(b"\n")


def _decoded(data: bytes) -> Iterable[str | None]:
    """The texts of the lines; None for one that is not UTF-8."""
    try:
        return data.decode("utf-8").split("\n")
    except UnicodeDecodeError:
        return [_decoded_line(line) for line in data.split(b"\n")]


def _decoded_line(line: bytes) -> str | None:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _judged(lines: Iterable[str | None]) -> Iterator[Line]:
    in_conflict = False
    for number, text in enumerate(lines, 1):
        if text is None:
            yield Line(number, "", LineFault.NOT_UTF8)
        elif _is_mark(text, in_conflict=in_conflict):
            in_conflict = not text.startswith(_END)
            yield Line(number, text, LineFault.CONFLICT_MARKER)
        elif in_conflict:
            yield Line(number, text, LineFault.IN_CONFLICT)
        else:
            yield Line(number, text, LineFault.NUL if "\x00" in text else None)


def _is_mark(text: str, *, in_conflict: bool) -> bool:
    """Whether a merge left this line; the middle ones count only between the outer ones."""
    marks = (_START, _END, *_MIDDLE) if in_conflict else (_START, _END)
    return text.startswith(marks) and text[_MARK_LENGTH : _MARK_LENGTH + 1] in ("", " ")
