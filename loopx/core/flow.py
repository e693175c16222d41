"""How work flows through a goal: what ended on which day, and how long it took."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.instant import DAY, Duration, Instant
from loopx.core.todo import Closure
from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable

COMPLETED = (Closure.COMPLETED, Closure.NO_FOLLOWUP)


class Ending(Value):
    """One closed todo; `claimed_at` is None where nobody was seen to begin before it was done."""

    closure: str
    is_agent_work: int
    added_at: Instant
    claimed_at: Instant | None
    closed_at: Instant


class DayCount(Value):
    """What ended on one UTC day, counted in days since the epoch."""

    day: int
    completed: int
    failed: int
    superseded: int


class Spread(Value):
    """The middle and the slow end of some durations; both None where there are none."""

    number: int
    median: Duration | None
    p90: Duration | None


def per_day(endings: Iterable[Ending], first_day: int, last_day: int) -> tuple[DayCount, ...]:
    """A count for every day from first to last, days without any included; other days are left out."""
    counts: dict[tuple[int, str], int] = {}
    for ending in endings:
        key = (ending.closed_at // DAY, ending.closure)
        counts[key] = counts.get(key, 0) + 1
    return tuple(
        DayCount(
            day=day,
            completed=sum(counts.get((day, closure), 0) for closure in COMPLETED),
            failed=counts.get((day, Closure.FAILED), 0),
            superseded=counts.get((day, Closure.SUPERSEDED), 0),
        )
        for day in range(first_day, last_day + 1)
    )


def claim_to_done(endings: Iterable[Ending]) -> Spread:
    """From the claim that led to it until the completion, of agents' completed work."""
    finished = (ending for ending in endings if _is_finished_work(ending))
    return spread(ending.closed_at - ending.claimed_at for ending in finished if ending.claimed_at is not None)


def add_to_done(endings: Iterable[Ending]) -> Spread:
    """From when it was written down until the completion, of agents' completed work."""
    return spread(ending.closed_at - ending.added_at for ending in endings if _is_finished_work(ending))


def _is_finished_work(ending: Ending) -> bool:
    return bool(ending.is_agent_work) and ending.closure in COMPLETED


def spread(durations: Iterable[Duration]) -> Spread:
    """Median and 90th percentile; the percentile is the shortest one that 90 of 100 do not exceed."""
    ranked = sorted(durations)
    number = len(ranked)
    if not number:
        return Spread(0, None, None)
    median = (ranked[(number - 1) // 2] + ranked[number // 2]) // 2
    return Spread(number, median, ranked[(9 * number + 9) // 10 - 1])
