"""Tasks that end with whoever started them: nothing is left running, however the wait ends."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterable


async def race(*runners: Coroutine[Any, Any, Any]) -> int:
    """Which one ended first, by its place; the others are cancelled and over when this returns.

    Of several that end at once the first counts. An exception of the winner is raised here.
    """
    tasks = [asyncio.ensure_future(runner) for runner in runners]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        winner = next(place for place, task in enumerate(tasks) if task in done)
        tasks[winner].result()
        return winner
    finally:
        await ended(tasks)


async def ended(tasks: Iterable[asyncio.Future[Any]]) -> None:
    """Cancel what still runs and wait until all of them are over; what they raise is not told."""
    tasks = list(tasks)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
