"""The text of a Backlog.md task: its boxes are criteria, its marks for programs are left out, the rest stays."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from loopx.core.checklist_line import BoxState, box_of, fence_of, heading_of
from loopx.core.foreign.record import AcceptanceBox
from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from loopx.core.checklist_line import Fence

_MARK = re.compile(r"<!-- *(?:AC|DOD|SECTION:[A-Z_]{1,40}) *: *(?:BEGIN|END) *-->")
_BOX_SECTIONS = frozenset(("acceptance criteria", "definition of done"))
_UNNAMED_SECTION = "description"  # its heading says nothing
_NUMBER = re.compile(r"\A#\d{1,6}[ \t]+")


class Body(Value):
    """The text without the boxes of its two lists, and those boxes."""

    text: str
    boxes: tuple[AcceptanceBox, ...]


def read_body(lines: Sequence[str]) -> Body:
    """The text and the criteria; a box in code or in another section is text."""
    reader = _BodyReader()
    for line in lines:
        reader.take(line)
    boxes = tuple(AcceptanceBox("\n".join(texts), is_ticked) for texts, is_ticked in reader.boxes)
    return Body("\n".join(reader.text).strip("\n"), boxes)


class _BodyReader:
    def __init__(self) -> None:
        self.text: list[str] = []
        self.boxes: list[tuple[list[str], bool]] = []  # the lines of each, and whether it is ticked
        self._fence: Fence | None = None
        self._list_heading: str | None = None  # of the list that is being read
        self._is_in_box = False

    def take(self, line: str) -> None:
        """Read the next line."""
        if self._fence is not None:
            self._fence = None if self._fence.is_closed_by(line) else self._fence
            self.text.append(line)
            return
        heading = heading_of(line)
        if _MARK.fullmatch(line.strip()):
            return
        if heading is not None:
            self._take_heading(line, heading)
        elif self._list_heading is None:
            self._take_text(line)
        else:
            self._take_listed(line)

    def _take_heading(self, line: str, heading: str) -> None:
        name = heading.lower()
        self._list_heading = line if name in _BOX_SECTIONS else None
        self._is_in_box = False
        if name not in _BOX_SECTIONS and name != _UNNAMED_SECTION:
            self._take_text(line)

    def _take_listed(self, line: str) -> None:
        """A line of a list of boxes; what is neither a box nor below one is text."""
        box = box_of(line)
        if box is not None and box.state is not None and box.text:
            self.boxes.append(([_NUMBER.sub("", box.text)], box.state is BoxState.DONE))
            self._is_in_box = True
        elif self._is_in_box and line[:1] in (" ", "\t") and line.strip() and fence_of(line) is None:
            self.boxes[-1][0].append(line.strip())
        elif line.strip():
            self._is_in_box = False
            if self._list_heading:
                self._take_text(self._list_heading)
                self._list_heading = ""
            self._take_text(line)

    def _take_text(self, line: str) -> None:
        """Text, without a second empty line behind another."""
        self._fence = fence_of(line)
        if line.strip() or (self.text and self.text[-1].strip()):
            self.text.append(line)
