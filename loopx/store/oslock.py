"""The operating system's lock on an open file: the only place that knows which system this is.

It belongs to the open file and goes with it, so a process that dies leaves no lock behind.
"""

from __future__ import annotations

import os
import sys

if sys.platform == "win32":
    import errno
    import msvcrt

    OPEN_LOCK = os.O_RDWR | os.O_CREAT | os.O_BINARY | os.O_NOINHERIT
    _BYTE = 1 << 30  # Windows locks bytes and forbids reading them; nobody reads this one

    def try_lock(fd: int) -> bool:
        """Take the lock if it is free; whether it was."""
        os.lseek(fd, _BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        except OSError as exc:
            if exc.errno not in (errno.EACCES, errno.EDEADLOCK):
                raise
            return False
        return True

    def unlock(fd: int) -> None:
        """Give the lock back; the file stays open."""
        os.lseek(fd, _BYTE, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_UNLCK, 1)

    def wait_lock(fd: int) -> None:
        """Take the lock, sleeping in the system until it is free."""
        while not _waited_ten_seconds(fd):
            pass

    def _waited_ten_seconds(fd: int) -> bool:
        os.lseek(fd, _BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(fd, msvcrt.LK_LOCK, 1)
        except OSError as exc:
            if exc.errno not in (errno.EACCES, errno.EDEADLOCK):
                raise
            return False
        return True

else:
    import fcntl

    # O_NONBLOCK so that opening a named pipe put in the way comes back and can be refused.
    OPEN_LOCK = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

    def try_lock(fd: int) -> bool:
        """Take the lock if it is free; whether it was."""
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def unlock(fd: int) -> None:
        """Give the lock back; the file stays open."""
        fcntl.flock(fd, fcntl.LOCK_UN)

    def wait_lock(fd: int) -> None:
        """Take the lock, sleeping in the system until it is free."""
        fcntl.flock(fd, fcntl.LOCK_EX)


def holder_pid(fd: int) -> int | None:
    """Which process holds the lock of the open file, where the system tells (Linux)."""
    inode = f":{os.fstat(fd).st_ino}"
    try:
        with open("/proc/locks", encoding="ascii") as table:
            rows = [line.split() for line in table]
    except OSError:
        return None
    # `1: FLOCK ADVISORY WRITE 4711 fe:00:1234 0 EOF`; who only waits has `->` in the second place.
    # The device is not compared: some file systems report another one to stat.
    found = {row[4] for row in rows if row[1] == "FLOCK" and row[5].endswith(inode)}
    return int(found.pop()) if len(found) == 1 else None
