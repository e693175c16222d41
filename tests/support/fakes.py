"""Time, ids and tokens that a test decides; each satisfies its protocol in `loopx/ports.py`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loopx.core.instant import Duration, Instant

START: Instant = 1_767_225_600_000_000  # 2026-01-01T00:00:00Z, in microseconds


class FakeClock:
    """A clock that stands still until the test moves it, in either direction."""

    def __init__(self, start: Instant = START) -> None:
        self._now = start

    def now(self) -> Instant:
        return self._now

    def advance(self, duration: Duration) -> Instant:
        """Move by `duration` microseconds (negative: the clock steps back); the new instant."""
        self._now += duration
        return self._now

    def set(self, instant: Instant) -> None:
        self._now = instant


class SequenceIds:
    """`todo_0000000001`, `todo_0000000002`, …: counted for each prefix."""

    def __init__(self) -> None:
        self._count: Counter[str] = Counter()

    def new(self, prefix: str) -> str:
        self._count[prefix] += 1
        return f"{prefix}_{self._count[prefix]:010d}"


class SequenceTokens:
    """Well-formed version 4 UUIDs that count upwards."""

    def __init__(self) -> None:
        self._count = 0

    def token(self) -> str:
        self._count += 1
        return f"00000000-0000-4000-8000-{self._count:012x}"
