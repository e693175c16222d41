"""The write queue: two locks as a turnstile, so that writers take turns (design.md §3).

SQLite's own lock is not fair, and polling one is no queue. A writer holds the queue lock only while
it waits for the write lock; whoever has just written finds the queue taken and stands behind.
One deadline covers both waits and what the caller waits for afterwards.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from loopx.core.errors import BusyTimeoutError
from loopx.core.instant import SECOND, format_duration
from loopx.files import NEW_FILE_MODE, refuse_unsafe, storage_error, verify_file
from loopx.store.oslock import OPEN_LOCK, holder_pid, try_lock
from loopx.store.paths import verify_folder
from loopx.system import monotonic as system_monotonic

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from loopx.core.instant import Duration
    from loopx.store.paths import StatePaths
    from loopx.store.waiter import Waiter

_HINT = "Repeat the call; `loopx doctor` looks for a writer that hangs."


class Deadline:
    """When waiting ends, on a clock that nobody can set."""

    __slots__ = ("_end_us", "_monotonic")

    def __init__(self, wait: Duration, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._end_us = monotonic() * SECOND + wait

    def remaining_us(self) -> Duration:
        """Microseconds until the end; 0 from then on."""
        return max(0, int(self._end_us - self._monotonic() * SECOND))


class Turnstile:
    """The way to the write transaction of one project, for processes and threads alike.

    Like a connection it belongs to the process that made it and is not carried over a fork.
    """

    def __init__(
        self, paths: StatePaths, *, timeout_us: Duration, monotonic: Callable[[], float] = system_monotonic
    ) -> None:
        self._paths = paths
        self._timeout = timeout_us
        self._monotonic = monotonic
        self._idle: list[Waiter] = []  # `pop` and `append` are atomic, so threads need no lock of ours

    @contextmanager
    def hold(self) -> Iterator[Deadline]:
        """Keep every other writer out while inside; the value is what is left of the one deadline.

        BusyTimeoutError past it, PathEscapeError for a lock that is no regular file of the state
        folder, ReadOnlyError and DiskFullError where the lock files cannot be made.
        """
        deadline = Deadline(self._timeout, self._monotonic)
        verify_folder(self._paths.folder)
        fd = self._enter(deadline)
        try:
            yield deadline
        finally:
            os.close(fd)

    def _enter(self, deadline: Deadline) -> int:
        """The open write lock, held; the queue lock is free again."""
        while True:
            queue, write = self._open_both()
            try:
                entered = self._pass_through(queue, write, deadline)
            except BaseException:
                os.close(write)
                raise
            finally:
                os.close(queue)
            if entered:
                return write
            os.close(write)
            if not deadline.remaining_us():
                raise BusyTimeoutError("the lock files were replaced again and again", hint=_HINT)

    def _open_both(self) -> tuple[int, int]:
        queue = _open(self._paths.queue_lock)
        try:
            return queue, _open(self._paths.write_lock)
        except BaseException:
            os.close(queue)
            raise

    def _pass_through(self, queue: int, write: int, deadline: Deadline) -> bool:
        """Take both locks in order; false where a file was deleted meanwhile and its lock means nothing."""
        try:
            awaited = _not_free(queue, write)
            if awaited and not self._wait(awaited, deadline):
                raise self._busy(write)
            return _is_at(self._paths.queue_lock, queue) and _is_at(self._paths.write_lock, write)
        except OSError as exc:
            raise storage_error(exc, self._paths.write_lock) from exc

    def _wait(self, fds: tuple[int, ...], deadline: Deadline) -> bool:
        try:
            waiter = self._idle.pop()
        except IndexError:
            waiter = _new_waiter()
        came = waiter.take(fds, deadline.remaining_us())
        if came:
            self._idle.append(waiter)
        return came

    def _busy(self, write: int) -> BusyTimeoutError:
        pid = holder_pid(write)
        waited = f"the project was not free for writing within {format_duration(self._timeout)}"
        if pid is None:
            return BusyTimeoutError(waited, hint=_HINT)
        return BusyTimeoutError(f"{waited}: process {pid} holds the write lock", hint=_HINT, pid=pid)


def _new_waiter() -> Waiter:
    from loopx.store.waiter import Waiter  # threads cost start-up time, and an idle project needs none

    return Waiter()


def _not_free(queue: int, write: int) -> tuple[int, ...]:
    """Take what is free at once; the locks that are still to be waited for, in order."""
    if not try_lock(queue):
        return (queue, write)
    return () if try_lock(write) else (write,)


def _open(path: str) -> int:
    try:
        fd = os.open(path, OPEN_LOCK, NEW_FILE_MODE)
    except OSError as exc:
        verify_file(path)  # a link, folder or socket in the way says more than the system's code
        raise storage_error(exc, path) from exc
    try:
        refuse_unsafe(path, os.fstat(fd))
    except BaseException:
        os.close(fd)
        raise
    return fd


def _is_at(path: str, fd: int) -> bool:
    try:
        return os.path.samestat(os.lstat(path), os.fstat(fd))
    except FileNotFoundError:
        return False
