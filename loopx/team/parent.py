"""A worker process that was started by another one ends with it: the parent holds the other end of its input."""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_CHUNK_BYTES = 4_096


@contextmanager
def ending_with_input(stop: Callable[[], None]) -> Iterator[None]:
    """Inside, in a running event loop, the end of standard input calls `stop`; what it says is passed over."""
    loop, fd = asyncio.get_running_loop(), sys.stdin.fileno()

    def readable() -> None:
        if not os.read(fd, _CHUNK_BYTES):
            loop.remove_reader(fd)
            stop()

    loop.add_reader(fd, readable)
    try:
        yield
    finally:
        loop.remove_reader(fd)
