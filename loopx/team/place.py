"""Where a worker keeps what belongs to it alone: its lock, its logs, its worktree, all below the state folder.

The state folder's `.gitignore` keeps all of it out of git. No part of the way may be a link, which could
lead a log into a stranger's folder (S1.5).
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import quote

from loopx.core.digest import sha256_hex
from loopx.core.errors import PathEscapeError, WorkerRunningError
from loopx.core.instant import MILLISECOND
from loopx.files import kind_of_file, lstat_or_none, storage_error, verify_file
from loopx.store.oslock import OPEN_LOCK, try_lock
from loopx.system import SystemSleeper

if TYPE_CHECKING:
    from loopx.team.seat import Seat

WORKERS = "workers"
WORKTREES = "worktrees"
_LOGS_KEPT = 50  # of each worker; the newest
_SAID_BYTES = 4_096
_TRIES, _BETWEEN_TRIES = 10, 10 * MILLISECOND
_LONGEST_SLUG = 100  # every file system takes names of this length


def slug(name: str) -> str:
    """The name as that of a file: readable, without separators, and of bounded length."""
    quoted = quote(name, safe="")
    return quoted if len(quoted) <= _LONGEST_SLUG else f"{quoted[:60]}-{sha256_hex(name.encode())[:16]}"


def worker_folder(seat: Seat) -> str:
    """The worker's own folder; it is made where it is not there. PathEscapeError, storage errors."""
    return made_folder(seat.project.paths.folder, *_names(seat.goal_id, seat.agent_id))


def lock_of(state_folder: str, goal_id: str, agent_id: str) -> WorkerLock:
    """The lock of that agent's worker, to be looked at; nothing is made."""
    return WorkerLock(os.path.join(state_folder, *_names(goal_id, agent_id)))


def _names(goal_id: str, agent_id: str) -> tuple[str, ...]:
    return (WORKERS, slug(goal_id), slug(agent_id))


def made_folder(base: str, *names: str) -> str:
    """The folder below `base`, every part of which is a real folder and no link; PathEscapeError."""
    path = base
    for name in names:
        path = os.path.join(path, name)
        try:
            os.mkdir(path)
        except FileExistsError:
            _verify(path)
        except OSError as exc:
            raise storage_error(exc, path) from exc
    return path


def _verify(path: str) -> None:
    mode = os.lstat(path).st_mode
    if not stat.S_ISDIR(mode):
        raise PathEscapeError(
            f"{os.path.basename(path)} is {kind_of_file(mode)}; it must be a folder of the project's state",
            hint="Look at it in the folder that `loopx where` shows, and take it away.",
            file=os.path.basename(path),
        )


class WorkerLock:
    """One worker of an agent at a time on this machine: its mailbox has one reader. A lock of the system, so
    that a worker that died has let go of it."""

    def __init__(self, folder: str) -> None:
        self._path = os.path.join(folder, "lock")
        self._fd: int | None = None

    def take(self, agent_id: str) -> None:
        """WorkerRunningError where another process, or another worker of this one, has it."""
        fd = self._open(OPEN_LOCK)
        if not _locked(fd):
            os.close(fd)
            raise WorkerRunningError(
                f"a worker of {agent_id} runs here already",
                hint="Give this one an agent of its own, or ask the other to end: `loopx team shutdown`.",
                agent_id=agent_id,
            )
        self._fd = fd

    def is_held(self) -> bool:
        """Whether a living worker has the lock; nothing is made by asking."""
        if lstat_or_none(self._path) is None:
            return False
        fd = self._open(os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            return not try_lock(fd)
        finally:
            os.close(fd)

    def say(self, words: str) -> None:
        """Leave words in the lock file for `said`: what the living worker does now. No write of the store."""
        if self._fd is not None:
            with suppress(OSError):  # a full disk keeps nobody from working
                data = words.encode("utf-8")
                os.pwrite(self._fd, data, 0)
                os.ftruncate(self._fd, len(data))

    def said(self) -> str | None:
        """The last words of the living worker; None where there is none. Nothing is made by asking."""
        if not self.is_held():
            return None
        with open(self._path, encoding="utf-8", errors="replace") as file:
            return file.read(_SAID_BYTES)

    def close(self) -> None:
        """Let go of it; the system does so too when the process ends."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def _open(self, flags: int) -> int:
        verify_file(self._path)
        try:
            return os.open(self._path, flags, 0o666)
        except OSError as exc:
            raise storage_error(exc, self._path) from exc


def _locked(fd: int) -> bool:
    """Whether the lock could be had; who only asks whether it is held has it for an instant."""
    for _ in range(_TRIES):
        if try_lock(fd):
            return True
        SystemSleeper().sleep(_BETWEEN_TRIES)
    return False


def log_path(folder: str, name: str) -> str:
    """Where a run of that name is logged; older logs than the newest fifty go. PathEscapeError, storage errors."""
    logs = made_folder(folder, "logs")
    try:
        kept = sorted(os.scandir(logs), key=lambda entry: entry.stat(follow_symlinks=False).st_mtime_ns)
        for entry in kept[: max(0, len(kept) - _LOGS_KEPT + 1)]:
            os.unlink(entry.path)
    except OSError as exc:
        raise storage_error(exc, logs) from exc
    return os.path.join(logs, f"{slug(name)}.log")
