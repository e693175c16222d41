"""Files that are replaced whole or not at all, and what the operating system reports, as our errors."""

from __future__ import annotations

import errno
import os
import stat
import sys

from loopx import failpoint
from loopx.core.errors import DiskFullError, LoopxError, PathEscapeError, ReadOnlyError, StorageFaultError

NEW_FILE_MODE = 0o666  # the umask takes its part away
_FULL = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG))
_READ_ONLY = frozenset((errno.EROFS, errno.EACCES, errno.EPERM))
_MISSING = frozenset((errno.ENOENT, errno.ENOTDIR))
_NAME_TRIES = 1000  # leftovers of this many crashes under one process id


def storage_error(exc: OSError, path: str) -> LoopxError:
    """The error that a fault of the operating system means; it names the file, never its folder."""
    name = os.path.basename(path)
    reason = os.strerror(exc.errno) if exc.errno else str(exc)
    if exc.errno in _FULL:
        return DiskFullError(
            f"the disk took no more bytes for {name} ({reason})",
            hint="Free some space, then repeat the call.",
        )
    if exc.errno in _READ_ONLY:
        return ReadOnlyError(
            f"{name} may not be used like this ({reason})",
            hint="Check the permissions of the state folder; `loopx where` names it.",
        )
    if exc.errno in _MISSING:
        return StorageFaultError(f"{name} is missing", hint="Run `loopx doctor`.")
    return StorageFaultError(f"the storage failed at {name} ({reason})", hint="Run `loopx doctor`.")


def may_write(path: str) -> bool:
    """Whether this process may write there, by the rights that it acts with."""
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def write_atomically(path: str, data: bytes, *, mode: int = NEW_FILE_MODE) -> None:
    """Put `data` at the path: after a crash or a refusal the old bytes or the new ones are there, whole.

    A symbolic link is kept and its target written. An existing file keeps its permissions; a new
    one gets `mode` less the umask. On return the bytes and the name are on the disk.
    DiskFullError, ReadOnlyError and other storage errors.
    """
    target = os.path.realpath(path)
    try:
        unfinished = _write_beside(target, data, mode)
        try:
            failpoint.reach("file: written")
            os.replace(unfinished, target)
            failpoint.reach("file: renamed")
        except BaseException:
            os.unlink(unfinished)
            raise
        sync_folder(os.path.dirname(target))
    except OSError as exc:
        raise storage_error(exc, path) from exc


def sync_folder(folder: str) -> None:
    """Make the names in the folder durable; OSError. Windows has no such call and needs none."""
    if sys.platform != "win32":
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def _write_beside(target: str, data: bytes, mode: int) -> str:
    """The path of a durable new file in the target's folder; nothing is left behind on a fault."""
    kept = _permissions(target)
    fd, unfinished = _open_new(target, mode if kept is None else stat.S_IRUSR | stat.S_IWUSR)
    try:
        try:
            _write_all(fd, data)
            if kept is not None:
                os.chmod(unfinished, kept)
            os.fsync(fd)
        finally:
            os.close(fd)
    except BaseException:
        os.unlink(unfinished)
        raise
    return unfinished


def _permissions(target: str) -> int | None:
    try:
        return stat.S_IMODE(os.stat(target).st_mode)
    except FileNotFoundError:
        return None


def _open_new(target: str, mode: int) -> tuple[int, str]:
    """A file that nobody else has, under a name that no crash before has left."""
    folder, name = os.path.split(target)
    for number in range(_NAME_TRIES):
        path = os.path.join(folder, f".{name}.{os.getpid()}-{number}.new")
        try:
            return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), path
        except FileExistsError:
            continue
    raise FileExistsError(errno.EEXIST, "too many unfinished copies", target)


def _write_all(fd: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]


# --- what may stand in the state folder ---------------------------------------------------


def verify_file(path: str) -> None:
    """Pass where the path is a regular file with one name, or nothing; PathEscapeError."""
    found = lstat_or_none(path)
    if found is not None:
        refuse_unsafe(path, found)


def refuse_unsafe(path: str, found: os.stat_result) -> None:
    """PathEscapeError unless `found`, what is at the path, is a regular file with one name."""
    if not stat.S_ISREG(found.st_mode):
        fault = f"is {kind_of_file(found.st_mode)}"
    elif found.st_nlink > 1:
        fault = f"has {found.st_nlink} names (hard links)"
    else:
        return
    raise PathEscapeError(
        f"{os.path.basename(path)} {fault}; it must be a regular file of its own in the state folder",
        hint="Look at it in the folder that `loopx where` shows, and put a regular file in its place.",
        file=os.path.basename(path),
    )


def lstat_or_none(path: str) -> os.stat_result | None:
    """What is at the path itself, or None."""
    try:
        return os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as exc:
        raise storage_error(exc, path) from exc


def kind_of_file(mode: int) -> str:
    """What a mode says the thing is, in words."""
    if stat.S_ISLNK(mode):
        return "a symbolic link"
    if stat.S_ISDIR(mode):
        return "a folder"
    if stat.S_ISFIFO(mode):
        return "a named pipe"
    return "a file" if stat.S_ISREG(mode) else "a device or socket"
