"""The files around the database: where they lie, who may touch them, and what was left behind."""

from __future__ import annotations

import os
import re
import stat
from typing import TYPE_CHECKING

from loopx.app.doctor.case import info, warning
from loopx.app.where import filesystem_type
from loopx.core.instant import HOUR
from loopx.files import lstat_or_none, may_write
from loopx.store.oslock import holder_pid

if TYPE_CHECKING:
    from collections.abc import Iterator

    from loopx.app.project import Project
    from loopx.core.finding import Finding
    from loopx.core.instant import Instant
    from loopx.store.paths import StatePaths

_SHARED = frozenset(("nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "vboxsf", "glusterfs", "fuse.sshfs"))
# Names that only we give: new databases and copies of them, and files about to take the registry's place.
_UNFINISHED = re.compile(r"(.+\.db\.new_[0-9a-z]{10}(-wal|-shm|-journal)?|\..+\.\d+-\d+\.new)")
_ABANDONED = HOUR  # far longer than any of our calls takes to finish a file


def place(project: Project) -> Iterator[Finding]:
    """Everything about the state's files that can be told without opening the database."""
    folder = project.paths.folder
    for words in project.location.warnings:
        yield warning("worktree", ".loopx", words)
    kind = filesystem_type(folder)
    if kind in _SHARED:
        message = f"it lies on {kind}, where locks of several machines do not hold each other out"
        yield warning("filesystem_shared", ".loopx", message)
    yield from _permissions(project)
    yield from _missing(project)
    yield from _locks(project)
    for name, age in _unfinished(project.paths, project.clock.now()):
        old = age >= _ABANDONED
        whose = "of a call that did not end" if old else "maybe of a call that still runs"
        yield info("file_left_behind", name, f"an unfinished file, {whose}", fixable=old)


def leftovers(paths: StatePaths, now: Instant) -> list[str]:
    """Below the state folder, the unfinished files that are too old to be anybody's."""
    return [name for name, age in _unfinished(paths, now) if age >= _ABANDONED]


def _unfinished(paths: StatePaths, now: Instant) -> Iterator[tuple[str, int]]:
    """Their names below the state folder, and their ages in microseconds."""
    for folder in (paths.folder, paths.backups):
        for name in _names(folder):
            path = os.path.join(folder, name)
            found = lstat_or_none(path)
            if found is not None and stat.S_ISREG(found.st_mode) and _UNFINISHED.fullmatch(name):
                yield os.path.relpath(path, paths.folder), now - found.st_mtime_ns // 1_000


def _names(folder: str) -> list[str]:
    return sorted(os.listdir(folder)) if os.path.isdir(folder) and not os.path.islink(folder) else []


def _permissions(project: Project) -> Iterator[Finding]:
    paths = project.paths
    if not may_write(paths.folder):
        yield info("read_only", ".loopx", "the folder takes no files from this user: it can be read and not changed")
    for path in (paths.folder, paths.database, paths.registry):
        found = lstat_or_none(path)
        if found is not None and not stat.S_ISLNK(found.st_mode) and found.st_mode & stat.S_IWOTH:
            yield warning("permissions_open", os.path.basename(path), "every user of this machine may change it")


def _missing(project: Project) -> Iterator[Finding]:
    """A fresh clone has no database; where somebody has written here before, it was lost."""
    paths = project.paths
    if not os.path.lexists(paths.database) and (os.path.exists(paths.write_lock) or os.path.exists(paths.backups)):
        message = "the database is gone; the next write starts an empty one, or `loopx restore` brings a backup back"
        yield warning("database_missing", "loopx.db", message)


def _locks(project: Project) -> Iterator[Finding]:
    try:
        fd = os.open(project.paths.write_lock, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:  # no lock file: nobody has written; an odd one is told by whoever opens the state
        return
    try:
        pid = holder_pid(fd)
    finally:
        os.close(fd)
    if pid is not None:
        yield info("writer_at_work", os.path.basename(project.paths.write_lock), f"process {pid} holds the write lock")
