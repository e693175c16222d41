"""Where the state's files are, and that none of them leads out of the project (S1.5).

SQLite and the locks follow links, and a link planted in a repository would let a call write into a
stranger's files. So everything here must be a file of its own, with one name, in a real folder.
The registry alone may be a symbolic link: people keep it where they like, and every edit is checked.
"""

from __future__ import annotations

import os
import stat

from loopx.core.errors import PathEscapeError
from loopx.core.layout import DATABASE_FILE, REGISTRY_FILE
from loopx.core.value import Value
from loopx.files import kind_of_file, lstat_or_none, verify_file

SIDECARS = ("", "-wal", "-shm", "-journal")  # the database and what SQLite writes beside it


class StatePaths(Value):
    """The files of one project's state; `folder` holds them all."""

    folder: str
    database: str
    queue_lock: str
    write_lock: str
    registry: str
    backups: str


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
        backups=os.path.join(folder, "backups"),
    )


def verify_state(paths: StatePaths) -> None:
    """Pass where every file that exists is a regular one, with one name, in a real folder.

    PathEscapeError for a symbolic link, a hard link, or anything that is no regular file.
    """
    verify_folder(paths.folder)
    for sidecar in SIDECARS:
        verify_file(paths.database + sidecar)
    verify_file(paths.queue_lock)
    verify_file(paths.write_lock)


def verify_folder(folder: str) -> None:
    """Pass where the state folder is a real one, or is not there; PathEscapeError."""
    found = lstat_or_none(folder)
    if found is None or stat.S_ISDIR(found.st_mode):
        return
    kind = kind_of_file(found.st_mode)
    raise PathEscapeError(
        f"the state folder {os.path.basename(folder)} is {kind}, not a folder of the project",
        hint="Name the folder that really holds the state with --project.",
    )
