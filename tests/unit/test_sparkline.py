"""Bars: one a number, the greatest full, and what is there never looks like nothing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from loopx.render.sparkline import sparkline
from loopx.render.width import display_width

NUMBERS = st.lists(st.integers(0, 10**6) | st.floats(0, 1e6, allow_subnormal=False), max_size=40)


def test_numbers_are_drawn_against_the_greatest() -> None:
    assert sparkline([0, 1, 50, 100]) == "▁▂▅█"
    assert sparkline([0, 0]) == "▁▁"
    assert sparkline([]) == ""


@given(NUMBERS)
def test_each_number_is_one_column_and_only_zero_is_empty(numbers: list[float]) -> None:
    bars = sparkline(numbers)
    assert display_width(bars) == len(bars) == len(numbers)
    assert all((bar == "▁") == (number == 0) for bar, number in zip(bars, numbers, strict=True))
    assert not any(numbers) or "█" in bars


@given(NUMBERS)
def test_more_is_never_drawn_lower(numbers: list[float]) -> None:
    bars = sparkline(sorted(numbers))
    assert list(bars) == sorted(bars)
