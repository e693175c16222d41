"""Where a write may be cut off: tests end the process at each of these and look at what is left (S1.6).

In production `reach` does nothing. No setting reaches it; a test puts a function of its own in its place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def _nothing(_name: str) -> None:
    return


reach: Callable[[str], None] = _nothing
