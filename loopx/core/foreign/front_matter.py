"""Where the front matter of a Markdown file ends and its text begins; YAML itself is read outside the core."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    FrontValue: TypeAlias = str | list["FrontValue"] | dict[str, "FrontValue"] | None
    ParseYaml: TypeAlias = Callable[[str], dict[str, FrontValue] | "YamlFault"]

FIRST_LINE = 2  # of the front matter in its file
_MARK = "---"


class YamlFault(Value):
    """Why a text is no mapping that can be taken, and in which of its lines."""

    line: int
    message: str


class Split(Value):
    """The YAML text of a file and the lines behind it."""

    yaml: str
    body: tuple[str, ...]


def split_front_matter(lines: Sequence[str]) -> Split | None:
    """The two parts of a file; None where it has no front matter or where that never ends."""
    if not lines or lines[0].rstrip() != _MARK:
        return None
    for at, line in enumerate(lines[1:], 1):
        if line.rstrip() == _MARK:
            return Split("\n".join(lines[1:at]), tuple(lines[at + 1 :]))
    return None
