"""Virtual time for asynchronous code: a clock that jumps to the next thing that somebody waits for.

`VirtualTime.run` drives coroutines. Whenever all of them wait, the clock moves to the earliest sleeper and
nothing real passes. A run in which everybody waits for ever fails instead of hanging.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
from typing import TYPE_CHECKING, Any

from loopx.core.instant import DAY

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from loopx.core.instant import Duration, Instant
    from tests.support.fakes import FakeClock


LONGEST = 3 * DAY  # of virtual time in one test


class VirtualTime:
    """A sleeper whose time passes at once, in step with a fake clock."""

    def __init__(self, clock: FakeClock) -> None:
        self.clock = clock
        self._sleepers: list[tuple[Instant, int, asyncio.Future[None]]] = []
        self._order = itertools.count()
        self._end = clock.now() + LONGEST

    async def sleep(self, duration: Duration) -> None:
        """Wait until the clock has moved that far."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self.clock.now() + duration, next(self._order), future))
        await future

    def run(self, *coroutines: Coroutine[Any, Any, Any]) -> list[Any]:
        """What the coroutines return, once all of them are over."""
        return asyncio.run(self._driven(coroutines))

    async def _driven(self, coroutines: tuple[Coroutine[Any, Any, Any], ...]) -> list[Any]:
        tasks = [asyncio.ensure_future(coroutine) for coroutine in coroutines]
        try:
            while not all(task.done() for task in tasks):
                await _quiescence()
                for task in tasks:
                    if task.done():
                        task.result()  # a failure ends the run, whoever still waits
                if not all(task.done() for task in tasks):
                    self._jump()
            return [task.result() for task in tasks]
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def _jump(self) -> None:
        """To the earliest sleeper that still waits."""
        while self._sleepers:
            at, _, future = heapq.heappop(self._sleepers)
            if not future.done():
                assert at < self._end, "something goes on for ever"
                self.clock.set(max(at, self.clock.now()))
                future.set_result(None)
                return
        raise AssertionError("everybody waits for ever")


async def _quiescence() -> None:
    """Until no callback of the loop is ready any more."""
    loop: Any = asyncio.get_running_loop()
    while True:
        await asyncio.sleep(0)
        if not loop._ready:
            return
