"""What a page is asked, and what it answers with: a template and its values."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeVar

from loopx.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

E = TypeVar("E", bound=StrEnum)

ROWS = 500  # todos that a page shows at most


@dataclass(frozen=True, slots=True)
class Asked:
    """The words of an address: what stands in its path and after its question mark."""

    path: str
    words: Mapping[str, str]
    todo_id: str = ""

    def word(self, name: str) -> str | None:
        """The value, or None where it is empty or left out."""
        return self.words.get(name) or None

    def number(self, name: str) -> int | None:
        """A number of 1 or more; UsageError for anything else."""
        text = self.word(name)
        if text is None:
            return None
        if not (text.isascii() and text.isdecimal() and len(text) < 16 and int(text) > 0):
            raise UsageError(f"{name} is no number: {text!r}", hint="Follow the links of the page.")
        return int(text)

    def member(self, name: str, kind: type[E]) -> E | None:
        """The member of that closed set; UsageError for another word."""
        text = self.word(name)
        if text is None:
            return None
        if text not in tuple(kind):
            raise UsageError(f"{text!r} is not one of {', '.join(kind)}", hint="Choose one of the page's own words.")
        return kind(text)


@dataclass(frozen=True, slots=True)
class View:
    """A page before it is drawn. `here` names its place in the navigation, `goal_id` the goal that it is about."""

    template: str
    title: str
    values: Mapping[str, Any] = field(default_factory=dict)
    goal_id: str | None = None
    here: str = ""
    status: int = 200
