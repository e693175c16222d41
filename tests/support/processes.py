"""Real processes: whether one lives, and waiting for what it does with a generous limit and no fixed pause."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable

PATIENCE_SECONDS = 60.0  # what never comes must fail its test, not hang the suite
_ASK_SECONDS = 0.01


def is_alive(pid: int | None) -> bool:
    """Whether the process runs; one that is over and not waited for does not."""
    if pid is None:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return not os.path.isdir("/proc/self")  # a system without this table: the signal has reached it


def until(holds: Callable[[], bool], patience: float = PATIENCE_SECONDS) -> None:
    """Return once it holds; fail where it does not come to that."""
    end = time.monotonic() + patience
    while not holds():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(_ASK_SECONDS)


async def until_async(holds: Callable[[], bool]) -> None:
    """The same beside other tasks of the loop."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < end, "it never came to that"
        await asyncio.sleep(_ASK_SECONDS)
