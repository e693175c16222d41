"""Bounded lists: a page, how many there are in all, and where the next one starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.errors import UsageError
from loopx.core.text import natural_number
from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from loopx.app.mutation import Document

DEFAULT_LIMIT = 50
MOST = 10_000  # more than any reader wants; keeps an answer from filling memory


class Page(Value):
    """What part of a list is wanted: at most `limit` rows after `cursor`, a sequence number."""

    limit: int = DEFAULT_LIMIT
    cursor: str | None = None

    @property
    def after(self) -> int:
        """The sequence after which the page starts; UsageError for a cursor that no page gave."""
        if self.cursor is None:
            return 0
        number = natural_number(self.cursor)
        if number is None:
            raise UsageError(f"{self.cursor!r} is not a cursor", hint="Pass on the next_cursor of the page before.")
        return number


def checked_page(limit: int, cursor: str | None) -> Page:
    """The page; UsageError for a limit out of range."""
    if not 1 <= limit <= MOST:
        raise UsageError(f"a limit of {limit} is out of range", hint=f"--limit is 1 to {MOST}.")
    return Page(limit, cursor)


def page_keys(sequences: Sequence[int], total_after: int, limit: int) -> Document:
    """`truncated` and `next_cursor` of a page whose rows have these sequences."""
    truncated = total_after > limit
    return {"truncated": truncated, "next_cursor": str(sequences[limit - 1]) if truncated else None}
