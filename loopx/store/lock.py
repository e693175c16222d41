"""The write queue: two locks as a turnstile, so that writers take turns (design.md §3).

SQLite's own lock is not fair, and polling one is no queue. A writer holds the queue lock only while
it waits for the write lock; whoever has just written finds the queue taken and stands behind.
One deadline covers both waits and what the caller waits for afterwards.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from loopx.core.errors import BusyTimeoutError
from loopx.core.instant import SECOND, format_duration
from loopx.store.files import NEW_FILE_MODE, storage_error
from loopx.store.oslock import OPEN_LOCK, try_lock, wait_lock
from loopx.store.paths import refuse_unsafe, verify_file, verify_folder
from loopx.system import monotonic as system_monotonic

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from loopx.core.instant import Duration
    from loopx.store.paths import StatePaths

_HOLDER_SIZE = 128  # bytes; a process id and a host name, padded so that one write replaces the last one


class Deadline:
    """When waiting ends, on a clock that nobody can set."""

    __slots__ = ("_end_us", "_monotonic")

    def __init__(self, wait: Duration, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._end_us = monotonic() * SECOND + wait

    def remaining_us(self) -> Duration:
        """Microseconds until the end; 0 from then on."""
        return max(0, int(self._end_us - self._monotonic() * SECOND))


class Holder(NamedTuple):
    """Who wrote its name into the lock file last."""

    pid: int
    host: str

    def __str__(self) -> str:
        there = f" on {self.host}" if self.host != _host() else ""
        return f"process {self.pid}{there}"


class Turnstile:
    """The way to the write transaction of one project, for processes and threads alike."""

    def __init__(
        self, paths: StatePaths, *, timeout_us: Duration, monotonic: Callable[[], float] = system_monotonic
    ) -> None:
        self._paths = paths
        self._timeout = timeout_us
        self._monotonic = monotonic

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
            _sign(fd, self._paths.write_lock)
            yield deadline
        finally:
            os.close(fd)

    def holder(self) -> Holder | None:
        """Who last held the write lock, as far as its file says so."""
        return _read_holder(self._paths.write_lock)

    def _enter(self, deadline: Deadline) -> int:
        queue = self._acquire(self._paths.queue_lock, deadline)
        try:
            return self._acquire(self._paths.write_lock, deadline)
        finally:
            os.close(queue)

    def _acquire(self, path: str, deadline: Deadline) -> int:
        """An open file that holds the lock of the path as it is now, not of a file deleted meanwhile."""
        while True:
            fd = _open(path)
            try:
                if not (try_lock(fd) or _wait(fd, deadline)):
                    raise self._busy()
                if _is_at(path, fd):
                    return fd
            except OSError as exc:
                os.close(fd)
                raise storage_error(exc, path) from exc
            except BaseException:
                os.close(fd)
                raise
            os.close(fd)

    def _busy(self) -> BusyTimeoutError:
        holder = self.holder()
        waited = f"the project was not free for writing within {format_duration(self._timeout)}"
        hint = "Repeat the call; `loopx doctor` looks for a writer that hangs."
        if holder is None:
            return BusyTimeoutError(waited, hint=hint)
        return BusyTimeoutError(f"{waited}: {holder} holds it", hint=hint, pid=holder.pid, host=holder.host)


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


def _wait(fd: int, deadline: Deadline) -> bool:
    """Wait inside the system's queue until the deadline; whether the lock came.

    A blocking lock takes no timeout, so a thread blocks in our place, on a duplicate of the file that
    shares the lock and that it closes at once. If we have given up by then, that was the last
    duplicate and the lock is free again; if not, ours still holds it.
    """
    import _thread

    faults: list[OSError] = []
    came = _thread.allocate_lock()
    came.acquire()
    duplicate = os.dup(fd)

    def block() -> None:
        try:
            wait_lock(duplicate)
        except OSError as exc:
            faults.append(exc)
        finally:
            os.close(duplicate)
            came.release()

    _thread.start_new_thread(block, ())
    has_come = came.acquire(timeout=deadline.remaining_us() / SECOND)
    if has_come and faults:
        raise faults[0]
    return has_come


def _is_at(path: str, fd: int) -> bool:
    try:
        return os.path.samestat(os.lstat(path), os.fstat(fd))
    except FileNotFoundError:
        return False


# --- who holds it ------------------------------------------------------------------------


def _sign(fd: int, path: str) -> None:
    """Leave our name for whoever waits in vain; not synced, because a dead holder holds nothing."""
    try:
        os.lseek(fd, 0, os.SEEK_SET)
        os.write(fd, f"{os.getpid()} {_host()}".encode(errors="replace")[: _HOLDER_SIZE - 1].ljust(_HOLDER_SIZE - 1) + b"\n")
    except OSError as exc:
        raise storage_error(exc, path) from exc


def _read_holder(path: str) -> Holder | None:
    try:
        fd = os.open(path, OPEN_LOCK & ~os.O_CREAT)
    except OSError:
        return None  # it only embellishes a refusal
    try:
        pid, _, host = os.read(fd, _HOLDER_SIZE).decode(errors="replace").strip().partition(" ")
    except OSError:
        return None
    finally:
        os.close(fd)
    return Holder(int(pid), host) if pid.isascii() and pid.isdecimal() else None


def _host() -> str:
    return os.uname().nodename if hasattr(os, "uname") else ""
