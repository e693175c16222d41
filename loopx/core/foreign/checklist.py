"""Markdown checklists as records: each box of `core/checklist.py` is one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.checklist import read_checklist
from loopx.core.checklist_line import BoxState
from loopx.core.foreign.record import ForeignRecord, ForeignState, Reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from loopx.core.foreign.record import ReadOptions, SourceFile

_STATES = {
    BoxState.OPEN: ForeignState.OPEN,
    BoxState.STARTED: ForeignState.STARTED,
    BoxState.DONE: ForeignState.DONE,
    BoxState.CANCELLED: ForeignState.DROPPED,
}


def wants(path: str, *, is_folder: bool) -> bool:
    """Nothing of a folder: a checklist is one file, which is known again by its path."""
    del path, is_folder
    return False


def read(files: Sequence[SourceFile], options: ReadOptions) -> Reading:
    """The boxes of the one file."""
    del options
    (file,) = files
    checklist = read_checklist(file.data)
    items = checklist.items
    records = tuple(
        ForeignRecord(
            source_id=item.source_id,
            text=item.text,
            state=_STATES[item.state],
            line=item.line,
            parent=None if item.parent is None else items[item.parent].source_id,
        )
        for item in items
    )
    return Reading(records, checklist.rejections, ignored=checklist.ignored)
