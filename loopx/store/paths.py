"""Where the state's files are, and that none of them leads out of the project (S1.5).

SQLite and the locks follow links, and a link planted in a repository would let a call write into a
stranger's files. So everything here must be a file of its own, with one name, in a real folder.
The registry alone may be a symbolic link: people keep it where they like, and it is never locked.
"""

from __future__ import annotations

import os
import stat

from loopx.core.errors import PathEscapeError
from loopx.core.layout import DATABASE_FILE, REGISTRY_FILE
from loopx.core.value import Value

_SIDECARS = ("", "-wal", "-shm", "-journal")  # the database and what SQLite writes beside it


class StatePaths(Value):
    """The files of one project's state; `folder` holds them all."""

    folder: str
    database: str
    queue_lock: str
    write_lock: str
    registry: str


def state_paths(folder: str) -> StatePaths:
    """The paths below a state folder, whose own parents are resolved and which is not."""
    parent, name = os.path.split(os.path.abspath(folder))
    folder = os.path.join(os.path.realpath(parent), name)
    return StatePaths(
        folder=folder,
        database=os.path.join(folder, DATABASE_FILE),
        queue_lock=os.path.join(folder, "queue.lock"),
        write_lock=os.path.join(folder, "write.lock"),
        registry=os.path.join(folder, REGISTRY_FILE),
    )


def verify_state(paths: StatePaths) -> None:
    """Pass where every file that exists is a regular one, with one name, in a real folder.

    PathEscapeError for a symbolic link, a hard link, or anything that is no regular file.
    """
    verify_folder(paths.folder)
    for sidecar in _SIDECARS:
        verify_file(paths.database + sidecar)
    verify_file(paths.queue_lock)
    verify_file(paths.write_lock)


def verify_folder(folder: str) -> None:
    """Pass where the state folder is a real one, or is not there; PathEscapeError."""
    found = _lstat(folder)
    if found is None or stat.S_ISDIR(found.st_mode):
        return
    raise PathEscapeError(
        f"the state folder {os.path.basename(folder)} is {_kind(found.st_mode)}, not a folder of the project",
        hint="Name the folder that really holds the state with --project.",
    )


def verify_file(path: str) -> None:
    """Pass where the path is a regular file with one name, or nothing; PathEscapeError."""
    found = _lstat(path)
    if found is not None:
        refuse_unsafe(path, found)


def refuse_unsafe(path: str, found: os.stat_result) -> None:
    """PathEscapeError unless `found`, what is at the path, is a regular file with one name."""
    if not stat.S_ISREG(found.st_mode):
        fault = f"is {_kind(found.st_mode)}"
    elif found.st_nlink > 1:
        fault = f"has {found.st_nlink} names (hard links)"
    else:
        return
    raise PathEscapeError(
        f"{os.path.basename(path)} {fault}; it must be a regular file of its own in the state folder",
        hint="Look at it in the folder that `loopx where` shows, and put a regular file in its place.",
        file=os.path.basename(path),
    )


def _lstat(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as exc:
        from loopx.store.files import storage_error

        raise storage_error(exc, path) from exc


def _kind(mode: int) -> str:
    if stat.S_ISLNK(mode):
        return "a symbolic link"
    if stat.S_ISDIR(mode):
        return "a folder"
    if stat.S_ISFIFO(mode):
        return "a named pipe"
    return "a file" if stat.S_ISREG(mode) else "a device or socket"
