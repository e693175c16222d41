"""Waiting that a change wakes: of the database, by whatever process, or a bell rung in this one (S4.5)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from loopx.app.wait import GLANCE, state_mark
from loopx.core.instant import SECOND, Duration
from loopx.team.tasks import race

if TYPE_CHECKING:
    from loopx.app.project import Project

POLL_INTERVAL: Duration = 5 * SECOND
MOST_POLLS = 12  # a minute of finding nothing is an idle timeout


class AsyncSleeper(Protocol):
    async def sleep(self, duration: Duration) -> None:
        """Let that many microseconds pass."""
        ...


class LoopSleeper:
    """Sleeps in the running event loop."""

    async def sleep(self, duration: Duration) -> None:
        await asyncio.sleep(duration / SECOND)


@dataclass(frozen=True, slots=True, kw_only=True)
class IdlePolicy:
    """How long one idle poll lasts, and how many without work make an idle timeout."""

    interval: Duration = POLL_INTERVAL
    most_polls: int = MOST_POLLS


class Watch:
    """Sees that the project has changed; a glance costs microseconds and takes no lock."""

    def __init__(self, project: Project, sleeper: AsyncSleeper) -> None:
        self._project = project
        self._sleeper = sleeper
        self._bell = asyncio.Event()

    def mark(self) -> tuple[object, ...]:
        """The state of things before a look, so that no change falls between the look and the wait."""
        return state_mark(self._project)

    def ring(self) -> None:
        """Wake whoever waits, at once."""
        self._bell.set()

    async def wait(self, mark: tuple[object, ...], limit: Duration | None) -> Duration:
        """Sleep until something differs from the mark, the bell rings, or the limit is over.

        What is left of the limit in microseconds: 0 where nothing woke it, and 1 where there is no limit.
        """
        left = limit
        while left is None or left > 0:
            nap = GLANCE if left is None else min(GLANCE, left)
            rung = await race(self._bell.wait(), self._sleeper.sleep(nap)) == 0
            self._bell.clear()
            left = left if left is None else left - nap
            if rung or self.mark() != mark:
                return 1 if left is None else max(1, left)
        return 0
