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
from loopx.files import NEW_FILE_MODE, lstat_or_none, refuse_unsafe, storage_error, verify_file
from loopx.store.oslock import OPEN_LOCK, holder_pid, try_lock, unlock
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
        # What stays open for the next time. `pop` and `append` are atomic, so threads need no lock of ours.
        self._open: list[LockFiles] = []
        self._idle: list[Waiter] = []

    @contextmanager
    def hold(self) -> Iterator[Deadline]:
        """Keep every other writer out while inside; the value is what is left of the one deadline.

        BusyTimeoutError past it, PathEscapeError for a lock that is no regular file of the state
        folder, ReadOnlyError and DiskFullError where the lock files cannot be made.
        """
        deadline = Deadline(self._timeout, self._monotonic)
        verify_folder(self._paths.folder)
        files = self._enter(deadline)
        try:
            yield deadline
        finally:
            unlock(files.write)
            self._open.append(files)

    def close(self) -> None:
        """Close the files that were kept open."""
        while self._open:
            self._open.pop().close()

    def _enter(self, deadline: Deadline) -> LockFiles:
        """The open files, the write lock held and the queue lock free again.

        They are kept open from one write to the next; whether they are still what is at their paths is asked
        each time, under the locks.
        """
        while True:
            files = self._taken_out()
            try:
                entered = self._pass_through(files, deadline)
            except BaseException:
                files.close()
                raise
            if entered:
                return files
            files.close()
            if not deadline.remaining_us():
                raise BusyTimeoutError("the lock files were replaced again and again", hint=_HINT)

    def _taken_out(self) -> LockFiles:
        try:
            return self._open.pop()
        except IndexError:
            return LockFiles(self._paths)

    def _pass_through(self, files: LockFiles, deadline: Deadline) -> bool:
        """Take both locks in order; false where a file was deleted meanwhile and its lock means nothing."""
        try:
            awaited = _not_free(files.queue, files.write)
            if awaited and not self._wait(awaited, deadline):
                raise self._busy(files.write)
            if not files.are_in_place():
                return False
            unlock(files.queue)
            return True
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


class LockFiles:
    """The two open lock files; closing them unlocks them."""

    __slots__ = ("_identities", "_paths", "queue", "write")

    def __init__(self, paths: StatePaths) -> None:
        """PathEscapeError, ReadOnlyError, DiskFullError."""
        self.queue = self.write = -1
        self._paths = (paths.queue_lock, paths.write_lock)
        self.queue = _open(paths.queue_lock)
        self.write = _open(paths.write_lock)
        self._identities = (_identity(os.fstat(self.queue)), _identity(os.fstat(self.write)))

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Let go of both."""
        for fd in (self.queue, self.write):
            if fd >= 0:
                os.close(fd)
        self.queue = self.write = -1

    def are_in_place(self) -> bool:
        """Whether the open files are those at the paths; PathEscapeError where something else was put there."""
        for path, identity in zip(self._paths, self._identities, strict=True):
            found = lstat_or_none(path)
            if found is None:
                return False
            refuse_unsafe(path, found)
            if _identity(found) != identity:
                return False
        return True


def _identity(found: os.stat_result) -> tuple[int, int]:
    return (found.st_dev, found.st_ino)


def _open(path: str) -> int:
    """The file of a lock, made where there is none; PathEscapeError, storage errors."""
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
