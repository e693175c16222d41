"""SIGINT and SIGTERM as a request to end: what runs is finished or released, and the exit code tells the signal."""

from __future__ import annotations

import asyncio
import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_EXIT_OF_SIGNAL = 128  # and the number of the signal, as shells say it
_ENDING = (signal.SIGINT, signal.SIGTERM)


class Caught:
    """Which signal came first, if any."""

    def __init__(self) -> None:
        self.number: int | None = None

    @property
    def exit_code(self) -> int:
        """0, or what a shell shows for a program that the signal has ended."""
        return 0 if self.number is None else _EXIT_OF_SIGNAL + self.number


@contextmanager
def ending_signals(stop: Callable[[], None]) -> Iterator[Caught]:
    """Inside, in a running event loop, each such signal calls `stop` instead of ending the process."""
    loop, caught = asyncio.get_running_loop(), Caught()

    def came(number: int) -> None:
        caught.number = caught.number or number
        stop()

    for number in _ENDING:
        loop.add_signal_handler(number, came, number)
    try:
        yield caught
    finally:
        for number in _ENDING:
            loop.remove_signal_handler(number)
