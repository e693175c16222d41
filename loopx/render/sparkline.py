"""Numbers as a row of bars, each one column wide."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_NOTHING = "▁"
_BARS = "▂▃▄▅▆▇█"  # a number above zero never looks like none


def sparkline(numbers: Sequence[float]) -> str:
    """The numbers against the greatest of them; none may be negative."""
    most = max(numbers, default=0)
    return "".join(_bar(number, most) for number in numbers)


def _bar(number: float, most: float) -> str:
    if number <= 0:
        return _NOTHING
    return _BARS[round((len(_BARS) - 1) * (number / most))]
