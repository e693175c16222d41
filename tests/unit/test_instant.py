"""Spellings of instants and durations: what is read, what is refused, and that nothing is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopx.core.errors import UsageError
from loopx.core.instant import (
    DAY,
    LONGEST,
    MILLISECOND,
    format_duration,
    format_instant,
    parse_duration,
    parse_instant,
)

NEW_YEAR = 1_767_225_600_000_000  # 2026-01-01T00:00:00Z


@pytest.mark.parametrize(
    ("text", "microseconds"),
    [("1ms", 1_000), ("15m", 900_000_000), ("2h", 7_200_000_000), ("366d", 366 * DAY), ("007s", 7_000_000)],
)
def test_a_duration_is_an_integer_with_its_unit(text: str, microseconds: int) -> None:
    assert parse_duration(text) == microseconds


@pytest.mark.parametrize(
    "text",
    [
        *("", "0s", "-1s", "+1s", "1", "s", "1.5h", "1 h", "1H", "367d", "NaN", "inf", "1e3s", "١s", "1w", "1m1s"),
        "9" * 30 + "d",
    ],
)
def test_any_other_form_is_refused_with_the_accepted_one(text: str) -> None:
    with pytest.raises(UsageError) as refusal:
        parse_duration(text)
    assert "15m" in (refusal.value.hint or "")


@pytest.mark.parametrize(
    "text",
    [
        "2026-01-01T00:00:00Z",
        "2026-01-01t00:00:00z",
        "2026-01-01T01:00:00+01:00",
        "2025-12-31T19:00:00-05:00",
        "2026-01-01T00:00:00.000000Z",
        "2026-01-01T05:45:00+05:45",
    ],
)
def test_one_instant_in_all_zones(text: str) -> None:
    assert parse_instant(text, now=0) == NEW_YEAR


@pytest.mark.parametrize(
    "text",
    [
        "2026-01-01",
        "2026-01-01T00:00:00",
        "2026-01-01 00:00:00Z",
        "20260101T000000Z",
        "2026-W01-1T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "now",
        "in:",
        "in:0s",
        "9999-12-31T23:59:59-14:00",
        "0001-01-01T00:00:00+14:00",
    ],
)
def test_what_is_no_instant_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_instant(text, now=0)


def test_in_counts_from_now() -> None:
    assert parse_instant("in:500ms", now=NEW_YEAR) == NEW_YEAR + 500 * MILLISECOND


@given(st.integers(min_value=-(10**15), max_value=10**17))
def test_what_is_written_is_read_back(instant: int) -> None:
    assert parse_instant(format_instant(instant), now=0) == instant


@given(st.integers(min_value=1, max_value=LONGEST // MILLISECOND))
def test_a_duration_in_whole_milliseconds_is_read_back(milliseconds: int) -> None:
    assert parse_duration(format_duration(milliseconds * MILLISECOND)) == milliseconds * MILLISECOND
