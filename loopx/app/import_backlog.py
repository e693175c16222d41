"""The reader of Backlog.md folders, given what reads YAML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.foreign import backlog
from loopx.registry.front_matter import parse_yaml

if TYPE_CHECKING:
    from collections.abc import Sequence

    from loopx.core.foreign.record import Reading, ReadOptions, SourceFile

wants = backlog.wants


def read(files: Sequence[SourceFile], options: ReadOptions) -> Reading:
    """The tasks of the folder; ImportInvalidError where there is none."""
    return backlog.read(files, options, parse_yaml)
