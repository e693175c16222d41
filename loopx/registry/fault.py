"""How a refusal of the registry says where: file, line, column and path of the offending part."""

from __future__ import annotations

from typing import NamedTuple

from loopx.core.errors import RegistryInvalidError


class Place(NamedTuple):
    """A position in the file, counted from 1, and the path that leads there (`goals[0].id`)."""

    file: str
    line: int
    column: int
    path: str = ""

    def __str__(self) -> str:
        inside = f" ({self.path})" if self.path else ""
        return f"{self.file} line {self.line}, column {self.column}{inside}"


def invalid(place: Place, fault: str, *, hint: str | None = None, **details: object) -> RegistryInvalidError:
    """The refusal of a registry for what stands at that place."""
    return RegistryInvalidError(
        f"{place}: {fault}",
        hint=hint or "Mend that line by hand; nothing was written.",
        file=place.file,
        line=place.line,
        column=place.column,
        path=place.path,
        **details,
    )


def place_of(text: str, index: int, file: str) -> Place:
    """The place of the character at `index`."""
    line_start = text.rfind("\n", 0, index) + 1
    return Place(file, text.count("\n", 0, index) + 1, index - line_start + 1)


def file_name(source: str) -> str:
    """The last part of a path: refusals travel, and where the project lies is nobody's business."""
    return source.replace("\\", "/").rpartition("/")[2]
