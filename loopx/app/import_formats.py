"""The formats that `import` reads, each in a module that is loaded when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from collections.abc import Sequence

    from loopx.core.foreign.record import Reading, ReadOptions, SourceFile

_PURE = "loopx.core.foreign"
FORMATS = {
    "backlog": "loopx.app.import_backlog",  # given what reads YAML
    "beads": f"{_PURE}.beads",
    "checklist": f"{_PURE}.checklist",
    "claude": f"{_PURE}.claude",
    "github": f"{_PURE}.github",
    "loopx-legacy": f"{_PURE}.legacy",
    "taskmaster": f"{_PURE}.taskmaster",
}


class Reader(Protocol):
    """What the module of a format offers."""

    def wants(self, path: str, *, is_folder: bool) -> bool:
        """Whether a folder is entered or a file read; the path is relative to what was named."""

    def read(self, files: Sequence[SourceFile], options: ReadOptions) -> Reading:
        """What the files hold; ImportInvalidError where they cannot be read at all."""


def reader_of(kind: str) -> Reader:
    """The reader of a format of `FORMATS`."""
    return cast("Reader", import_module(FORMATS[kind]))
