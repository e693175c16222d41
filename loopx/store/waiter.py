"""Waiting for locks with a deadline; loaded only where a lock is not free.

The system lets us sleep in its queue for a lock but not for a limited time, and asking again and
again is no queue. So a thread sleeps in our place. It stays for the next wait: starting one each time
cost a third of the write throughput of eight busy processes.
"""

from __future__ import annotations

import os
import threading
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from loopx.core.instant import SECOND
from loopx.store.oslock import wait_lock

if TYPE_CHECKING:
    from loopx.core.instant import Duration

_Orders = SimpleQueue[tuple[int, ...]]
_Answers = SimpleQueue[OSError | None]


class Waiter:
    """One waiting thread. After a wait that failed it is of no more use: drop it."""

    def __init__(self) -> None:
        self._orders: _Orders = SimpleQueue()
        self._answers: _Answers = SimpleQueue()
        threading.Thread(target=_serve, args=(self._orders, self._answers), daemon=True).start()

    def __del__(self) -> None:
        self._orders.put(())

    def take(self, fds: tuple[int, ...], wait: Duration) -> bool:
        """Lock the open files one after the other; whether all locks came within `wait` microseconds.

        The thread works on duplicates, which share the locks, and closes them once it has all. If we
        have given up and closed ours by then, that frees the locks at once; if not, ours keep them.
        """
        self._orders.put(tuple(os.dup(fd) for fd in fds))
        try:
            fault = self._answers.get(timeout=wait / SECOND)
        except Empty:
            return False
        if fault is not None:
            raise fault
        return True


def _serve(orders: _Orders, answers: _Answers) -> None:
    while fds := orders.get():
        fault = None
        try:
            for fd in fds:
                wait_lock(fd)
        except OSError as exc:
            fault = exc
        finally:
            for fd in fds:
                os.close(fd)
        answers.put(fault)
