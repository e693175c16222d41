"""Markdown checklists: the boxes of a file as items, with what encloses them and who they are.

An item is known again by its section (the nearest heading), the items around it and its own first
line, so that the file needs no marks of ours and a second import is an update. Lines that cannot be
taken are listed with their number and reason; nothing is guessed and nothing is dropped in silence.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from enum import StrEnum
from typing import TYPE_CHECKING

from loopx.core.checklist_line import (
    NESTING,
    Box,
    BoxFault,
    BoxState,
    Fence,
    box_of,
    dedented,
    fence_of,
    heading_of,
    indent_of,
    unquoted,
)
from loopx.core.digest import sha256_hex
from loopx.core.errors import ImportInvalidError, TextInvalidError
from loopx.core.foreign.record import Rejection
from loopx.core.text import checked_text, first_line, tagged_priority
from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterator

_BOM = b"\xef\xbb\xbf"
_WIDE_BOMS = (b"\xff\xfe", b"\xfe\xff")  # of UTF-16, and of UTF-32 with the first bytes alike
_SOURCE_ID_DIGITS = 32  # 128 bits: no two items of a file meet by chance
_CONFLICT_START, _CONFLICT_END = "<<<<<<<", ">>>>>>>"
_CONFLICT_MIDDLE = ("=======", "|||||||")


class LineFault(StrEnum):
    NOT_UTF8 = "not_utf8"
    NUL = "nul"
    CONFLICT_MARKER = "conflict_marker"
    IN_CONFLICT = "in_conflict"  # a box between two conflict markers
    EMPTY = "box_empty"
    TOO_LONG = "text_too_long"
    CODE_UNCLOSED = "code_unclosed"
    COMMENT_UNCLOSED = "comment_unclosed"


_MESSAGES: dict[LineFault | BoxFault, str] = {
    LineFault.NOT_UTF8: "the line is not UTF-8",
    LineFault.NUL: "the line holds a NUL character",
    LineFault.CONFLICT_MARKER: "a merge conflict was not resolved here",
    LineFault.IN_CONFLICT: "the box stands inside an unresolved merge conflict",
    LineFault.EMPTY: "the box has no text",
    LineFault.TOO_LONG: "the text is longer than a todo may be",
    LineFault.CODE_UNCLOSED: "a code fence opens here and never ends, so the boxes below it were not read",
    LineFault.COMMENT_UNCLOSED: "a comment opens here and never ends, so the boxes below it were not read",
    BoxFault.UNKNOWN: "the sign in the box is none of: space, x, X, -, ~, /",
    BoxFault.MALFORMED: "a box is one sign between brackets: [ ] or [x]",
    BoxFault.UNSEPARATED: "a space is missing between the box and its text",
}


class Item(Value):
    """One box: its text with the lines below it, and the place in `items` of the item that encloses it."""

    line: int
    text: str
    state: BoxState
    parent: int | None
    source_id: str


class Checklist(Value):
    """What a file holds; `ignored` counts boxes in code and comments, which are no work."""

    items: tuple[Item, ...]
    rejections: tuple[Rejection, ...]
    ignored: int


def read_checklist(data: bytes) -> Checklist:
    """The checklist of a file's bytes. ImportInvalidError where they are no text at all."""
    reader = _Reader()
    for number, line in enumerate(_lines(data), 1):
        reader.take(number, line)
    return reader.checklist()


def _lines(data: bytes) -> Iterator[str | None]:
    """The lines without their ends; None for one that is not UTF-8."""
    if data.startswith(_WIDE_BOMS):
        raise ImportInvalidError("the file is UTF-16 or UTF-32, not UTF-8", hint="Save it as UTF-8 first.")
    data = data.removeprefix(_BOM).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    try:
        yield from data.decode("utf-8").split("\n")
    except UnicodeDecodeError as exc:
        if b"\x00" in data:
            raise ImportInvalidError(
                f"the file is no text (byte {exc.start} is not UTF-8, and it holds NUL)",
                hint="Name a Markdown file.",
            ) from exc
        yield from (_decoded(line) for line in data.split(b"\n"))


def _decoded(line: bytes) -> str | None:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return None


class _Draft:
    """An item while its lines are still coming; a faulty one still encloses what is below it."""

    __slots__ = ("content", "fault", "indent", "line", "parent", "section", "state", "texts")

    def __init__(self, line: int, box: Box, parent: int | None, section: str) -> None:
        self.line, self.parent, self.section = line, parent, section
        self.indent, self.content = box.indent, box.content
        self.state = box.state or BoxState.OPEN
        self.fault = box.fault
        self.texts = [box.text]

    @property
    def text(self) -> str:
        return "\n".join(self.texts).strip()


class _Open(Value):
    """What is being skipped until its end: a fence, the quotes it stands in, and whose text it is."""

    line: int
    fence: Fence
    depth: int
    owner: _Draft | None


class _Reader:
    """Takes line after line; `checklist` is what they came to."""

    def __init__(self) -> None:
        self._drafts: list[_Draft] = []
        self._enclosing: list[int] = []  # the drafts that a next line may belong to, outermost first
        self._rejections: list[Rejection] = []
        self._section = ""
        self._depth = 0
        self._code: _Open | None = None
        self._comment = 0  # the line in which it opened
        self._conflict = 0
        self._ignored = 0

    def take(self, number: int, line: str | None) -> None:
        """Read the next line; None is one that could not be decoded."""
        if line is None or "\x00" in line:
            self._reject(number, LineFault.NOT_UTF8 if line is None else LineFault.NUL)
        elif self._code is not None and self._takes_code(line):
            return
        elif not self._takes_conflict(number, line):
            self._take_text(number, line)

    def checklist(self) -> Checklist:
        """The items, identified; what is still open is a rejection."""
        if self._code is not None:
            self._reject(self._code.line, LineFault.CODE_UNCLOSED)
        if self._comment:
            self._reject(self._comment, LineFault.COMMENT_UNCLOSED)
        items = tuple(self._items())
        return Checklist(
            items, tuple(sorted(self._rejections, key=lambda rejection: rejection.line or 0)), self._ignored
        )

    # --- what is no item --------------------------------------------------------------------

    def _takes_code(self, line: str) -> bool:
        """Whether the line belongs to the open code fence, which also ends with the quote around it."""
        assert self._code is not None
        code = self._code
        depth, rest = unquoted(line, at_most=code.depth)
        if depth < code.depth:
            self._code = None
            return False
        if code.owner is not None:
            code.owner.texts.append(dedented(rest, code.owner.content))
        if code.fence.is_closed_by(rest):
            self._code = None
        elif box_of(rest):
            self._ignored += 1
        return True

    def _takes_conflict(self, number: int, line: str) -> bool:
        """Whether the line is a conflict marker or stands between two of them."""
        if line.startswith(_CONFLICT_START):
            self._conflict = number
        elif line.startswith(_CONFLICT_END):
            self._conflict = 0
        elif not self._conflict:
            return False
        elif not line.startswith(_CONFLICT_MIDDLE):
            if box_of(unquoted(line)[1]):
                self._reject(number, LineFault.IN_CONFLICT)
            return True
        self._reject(number, LineFault.CONFLICT_MARKER)
        return True

    def _takes_comment(self, number: int, line: str) -> bool:
        """Whether the line belongs to a comment that opened at the beginning of a line."""
        opens = not self._comment and line.lstrip().startswith("<!--")
        if not (opens or self._comment):
            return False
        self._ignored += box_of(line) is not None
        self._comment = 0 if "-->" in line else self._comment or number
        return True

    def _reject(self, number: int, fault: LineFault | BoxFault, source_id: str | None = None) -> None:
        self._rejections.append(Rejection(number, fault.value, _MESSAGES[fault], source_id))

    # --- items and what belongs to them -----------------------------------------------------

    def _take_text(self, number: int, line: str) -> None:
        depth, rest = unquoted(line)
        if depth != self._depth:
            self._depth, self._enclosing = depth, []
        if self._takes_comment(number, rest):
            return
        box, heading = box_of(rest), heading_of(rest)
        if box is not None:
            self._open_item(number, box)
        elif heading is not None:
            self._section, self._enclosing = heading, []
        elif not rest.strip():
            self._append("")
        else:
            self._take_prose(number, rest)

    def _open_item(self, number: int, box: Box) -> None:
        self._leave(box.indent)
        parent = self._enclosing[-1] if self._enclosing else None
        self._drafts.append(_Draft(number, box, parent, self._section))
        self._enclosing.append(len(self._drafts) - 1)

    def _take_prose(self, number: int, line: str) -> None:
        """Text that belongs to the item that it is indented under, or to none."""
        self._leave(indent_of(line))
        owner = self._drafts[self._enclosing[-1]] if self._enclosing else None
        if owner is not None:
            owner.texts.append(dedented(line, owner.content))
        fence = fence_of(line)
        if fence is not None:
            self._code = _Open(number, fence, self._depth, owner)

    def _append(self, text: str) -> None:
        if self._enclosing:
            self._drafts[self._enclosing[-1]].texts.append(text)

    def _leave(self, indent: int) -> None:
        """Close the items that a line at this indent is not inside of."""
        while self._enclosing and self._drafts[self._enclosing[-1]].indent + NESTING > indent:
            self._enclosing.pop()

    # --- identity ---------------------------------------------------------------------------

    def _items(self) -> Iterator[Item]:
        """The sound drafts; one under a faulty item belongs to the next sound one around it."""
        ids: list[str] = []
        places: list[int | None] = []  # of each draft, or of the sound one around it, among the items
        count: Counter[tuple[str, str]] = Counter()
        sound = 0
        for draft in self._drafts:
            text = draft.text
            around = None if draft.parent is None else places[draft.parent]
            base = f"section {draft.section}" if draft.parent is None else f"item {ids[draft.parent]}"
            name = _name(text)
            source_id = _digest(base, name, str(count[base, name]))
            count[base, name] += 1
            ids.append(source_id)
            fault = draft.fault or _text_fault(text)
            places.append(around if fault else sound)
            if fault:
                self._reject(draft.line, fault, source_id)
                continue
            sound += 1
            yield Item(draft.line, text, draft.state, around, source_id)


def _text_fault(text: str) -> LineFault | None:
    if not text:
        return LineFault.EMPTY
    try:
        checked_text(text, field="text")
    except TextInvalidError:
        return LineFault.TOO_LONG
    return None


def _name(text: str) -> str:
    """By what an item is known again: its first line without priority, in one spelling."""
    line = first_line(text)
    if tagged_priority(line) is not None:
        line = line.lstrip()[4:]
    return unicodedata.normalize("NFC", " ".join(line.split()))


def _digest(*parts: str) -> str:
    return sha256_hex("\n".join(parts).encode("utf-8"))[:_SOURCE_ID_DIGITS]
