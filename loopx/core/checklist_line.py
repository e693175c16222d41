"""One line of a Markdown checklist: its quote marks, its indent, and the box that it may hold.

Every pattern is linear in the length of the line, so that a line of a megabyte is no special case.
"""

from __future__ import annotations

import re
from enum import StrEnum

from loopx.core.value import Value

NESTING = 2  # columns by which an item is inside the one above it
_TAB = 4
_QUOTE = re.compile(r" {0,3}> ?")
_BOX = re.compile(r"([ \t]*)([-*+]|\d{1,9}[.)])([ \t]+)\[([^\[\]]{0,3})\]")
_FENCE = re.compile(r"[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}(?=[^`]*$)|~{3,})")
_LINK_GOES_ON = ("(", "[", ":")


class BoxState(StrEnum):
    OPEN = "open"  # [ ]
    STARTED = "started"  # [/]
    DONE = "done"  # [x]
    CANCELLED = "cancelled"  # [-] or [~]


STATES = {
    " ": BoxState.OPEN,
    "/": BoxState.STARTED,
    "x": BoxState.DONE,
    "X": BoxState.DONE,
    "-": BoxState.CANCELLED,
    "~": BoxState.CANCELLED,
}


class BoxFault(StrEnum):
    UNKNOWN = "box_unknown"  # one sign that means nothing here
    MALFORMED = "box_malformed"  # brackets without exactly one sign between them
    UNSEPARATED = "box_unseparated"  # no space between the box and its text


class Box(Value):
    """A bullet with a box: where it begins, where its text begins, and what the box says."""

    indent: int
    content: int
    state: BoxState | None
    fault: BoxFault | None
    text: str


class Fence(Value):
    """An opened code fence; only the same sign at least as often closes it."""

    sign: str
    length: int

    def is_closed_by(self, line: str) -> bool:
        """Whether the line is this fence's end."""
        stripped = line.strip()
        return len(stripped) >= self.length and not stripped.strip(self.sign)


def unquoted(line: str, *, at_most: int | None = None) -> tuple[int, str]:
    """How many block quotes the line stands in, and the line without their marks."""
    depth = at = 0
    while depth != at_most and (mark := _QUOTE.match(line, at)):
        depth, at = depth + 1, mark.end()
    return depth, line[at:]


def box_of(line: str) -> Box | None:
    """The box that the line begins with, faulty ones included; None where brackets are no box.

    `[1]`, `[abc]` and links are ordinary text.
    """
    found = _BOX.match(line)
    if found is None:
        return None
    inside, rest = found[4], line[found.end() :]
    fault = _fault(inside, rest)
    if fault is None and (inside not in STATES or rest[:1] not in ("", " ", "\t")):
        return None
    indent = columns(found[1])
    content = indent + len(found[2]) + 1
    return Box(indent, content, None if fault else STATES[inside], fault, rest.strip())


def _fault(inside: str, rest: str) -> BoxFault | None:
    """What is wrong with something that was meant as a box; None also for what was not."""
    is_separated = rest[:1] in ("", " ", "\t")
    if inside in STATES:
        is_box = is_separated or rest.startswith(_LINK_GOES_ON)
        return None if is_box else BoxFault.UNSEPARATED
    sign = inside.strip()
    if len(sign) > 1 or sign.isdigit() or not is_separated:
        return None
    return BoxFault.UNKNOWN if sign and len(inside) == 1 else BoxFault.MALFORMED


def fence_of(line: str) -> Fence | None:
    """The code fence that the line opens, by itself or as the content of a bullet."""
    found = _FENCE.match(line)
    return Fence(found[1][0], len(found[1])) if found else None


def heading_of(line: str) -> str | None:
    """The text of a `#` heading, or None."""
    if line[:4].isspace() or not line.lstrip(" ").startswith("#"):
        return None
    marked = line.strip()
    text = marked.lstrip("#")
    is_heading = len(marked) - len(text) <= 6 and (not text or text[0] in " \t")
    return text.strip().rstrip("#").rstrip() if is_heading else None


def indent_of(line: str) -> int:
    """The columns of white space that the line begins with."""
    return columns(line[: len(line) - len(line.lstrip(" \t"))])


def columns(white: str) -> int:
    """The width of spaces and tabs; a tab goes on to the next multiple of four."""
    if "\t" not in white:
        return len(white)
    width = 0
    for sign in white:
        width = (width // _TAB + 1) * _TAB if sign == "\t" else width + 1
    return width


def dedented(line: str, width: int) -> str:
    """The line without its first `width` columns of white space, or as many as it has."""
    at = taken = 0
    while taken < width and at < len(line) and line[at] in " \t":
        taken = (taken // _TAB + 1) * _TAB if line[at] == "\t" else taken + 1
        at += 1
    return line[at:].rstrip()
