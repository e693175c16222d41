"""Throughput and cycle time."""

from __future__ import annotations

import statistics

from hypothesis import given
from hypothesis import strategies as st

from loopx.core.flow import Ending, add_to_done, claim_to_done, per_day, spread
from loopx.core.instant import DAY, HOUR, SECOND

DURATIONS = st.lists(st.integers(0, 100 * DAY))


def ending(
    closed_at: int, closure: str = "completed", *, claimed_at: int | None = None, is_agent_work: int = 1
) -> Ending:
    return Ending(closure, is_agent_work, added_at=0, claimed_at=claimed_at, closed_at=closed_at)


def test_a_day_without_any_is_told_as_zero_and_other_days_are_left_out() -> None:
    ends = [ending(DAY - 1), ending(DAY), ending(3 * DAY, "failed"), ending(3 * DAY, "superseded"), ending(4 * DAY)]
    assert [tuple(count) for count in per_day(ends, 1, 3)] == [(1, 1, 0, 0), (2, 0, 0, 0), (3, 0, 1, 1)]


def test_both_ways_of_completing_count_as_completed() -> None:
    (day,) = per_day([ending(0), ending(0, "completed_no_followup")], 0, 0)
    assert day.completed == 2


def test_only_agents_completed_work_has_a_cycle_time() -> None:
    ends = [
        ending(10 * HOUR, claimed_at=9 * HOUR),
        ending(5 * HOUR),
        ending(90 * HOUR, "failed", claimed_at=0),
        ending(90 * HOUR, "superseded", claimed_at=0),
        ending(90 * HOUR, is_agent_work=0, claimed_at=0),
    ]
    assert claim_to_done(ends) == (1, HOUR, HOUR)
    assert add_to_done(ends) == (2, 7 * HOUR + HOUR // 2, 10 * HOUR)


def test_nothing_has_no_middle() -> None:
    assert spread([]) == (0, None, None)


def test_of_ten_the_ninth_is_the_percentile_and_of_eleven_the_tenth() -> None:
    assert spread(number * SECOND for number in range(1, 11)).p90 == 9 * SECOND
    assert spread(number * SECOND for number in range(1, 12)).p90 == 10 * SECOND


@given(DURATIONS.filter(bool))
def test_the_median_is_the_middle_and_the_percentile_holds_nine_of_ten(durations: list[int]) -> None:
    found = spread(durations)
    assert found.median is not None
    assert found.p90 is not None
    assert abs(found.median - statistics.median(durations)) < 1
    assert 10 * sum(one <= found.p90 for one in durations) >= 9 * len(durations)
    assert 10 * sum(one < found.p90 for one in durations) < 9 * len(durations)
