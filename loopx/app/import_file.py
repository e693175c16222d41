"""Files that somebody wants to import: read whole or refused, and named so that they are known again.

A folder is a walk of bounded size that follows no link. What vanishes or cannot be read on the way is
told and holds nothing up: other programs go on writing there.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from loopx.core.errors import ImportInvalidError, UsageError
from loopx.core.foreign.record import Note, Rejection, SourceFile
from loopx.core.text import checked_text
from loopx.core.value import Value
from loopx.files import kind_of_file
from loopx.workspace.checkout import find_checkout, main_worktree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from loopx.app.import_formats import Reader
    from loopx.core.foreign.record import Reading

LIMIT_BYTES = 64 * 1024 * 1024  # far above the largest list that people have; keeps a wrong file out of memory
LIMIT_FILES = 20_000  # of a folder; the largest project seen has seven hundred
_LIMIT_DEPTH = 8  # folders below the one that was named
_WITHOUT_WAITING = getattr(os, "O_NONBLOCK", 0)  # a named pipe must not hold the command up


class SourceFiles(Value):
    """What was read, in the order of the paths, what could not be, and what went away meanwhile."""

    files: tuple[SourceFile, ...]
    in_folder: bool = False
    rejections: tuple[Rejection, ...] = ()
    notes: tuple[Note, ...] = ()

    def with_those_of(self, reading: Reading) -> Reading:
        """What was read of them, with what could not be read at all."""
        return reading._replace(rejections=self.rejections + reading.rejections, notes=self.notes + reading.notes)


def read_sources(path: str, reader: Reader) -> SourceFiles:
    """The named file, or the files of a folder that the format reads.

    UsageError for what is neither and for a folder without such a file, ImportInvalidError for too much.
    """
    if not os.path.isdir(path):
        return SourceFiles((SourceFile(os.path.basename(path), read_import_file(path)),))
    found = _Folder(path, reader)
    found.read()
    if not (found.files or found.rejections or found.notes):
        raise UsageError(f"{path} is a folder without a file of this format", hint="Name a file, or the right folder.")
    return SourceFiles(tuple(found.files), in_folder=True, rejections=tuple(found.rejections), notes=tuple(found.notes))


def read_import_file(path: str) -> bytes:
    """The bytes of a regular file. UsageError for anything else, ImportInvalidError for one that is too large."""
    try:
        data = _bytes_of(path, LIMIT_BYTES, follows_link=True)
    except IsADirectoryError as exc:
        raise UsageError(f"{path} is a folder", hint="Name a regular file.") from exc
    except OSError as exc:
        raise UsageError(f"{path} cannot be read: {exc.strerror}", hint="Name a readable file.") from exc
    if isinstance(data, int):
        raise UsageError(f"{path} is {kind_of_file(data)}", hint="Name a regular file.")
    if len(data) > LIMIT_BYTES:
        raise _too_large(path)
    return data


def _bytes_of(path: str, limit: int, *, follows_link: bool) -> bytes | int:
    """At most one byte more than the limit, or the mode of what is no regular file; OSError."""
    flags = os.O_RDONLY | _WITHOUT_WAITING | (0 if follows_link else getattr(os, "O_NOFOLLOW", 0))
    with open(os.open(path, flags), "rb") as file:
        found = os.fstat(file.fileno())
        return file.read(limit + 1) if stat.S_ISREG(found.st_mode) else found.st_mode


def _too_large(path: str) -> ImportInvalidError:
    return ImportInvalidError(
        f"{path} is larger than {LIMIT_BYTES} bytes", hint="Split it into several files.", limit_bytes=LIMIT_BYTES
    )


class _Folder:
    """One walk: what the format wants below a folder."""

    def __init__(self, root: str, reader: Reader) -> None:
        self.root = root
        self.reader = reader
        self.files: list[SourceFile] = []
        self.rejections: list[Rejection] = []
        self.notes: list[Note] = []
        self._left = LIMIT_BYTES

    def read(self) -> None:
        """Read the files in the order of their paths."""
        for path in sorted(self._paths("", 0)):
            self._take(path)

    def _paths(self, folder: str, depth: int) -> Iterator[str]:
        """The wanted files below a folder, by their path with `/`."""
        for entry in self._entries(folder):
            if not _is_text(entry.name):
                self._reject(f"{folder or '.'}/…", "has a name that is not UTF-8")
                continue
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.is_dir(follow_symlinks=False):
                if depth < _LIMIT_DEPTH and self.reader.wants(path, is_folder=True):
                    yield from self._paths(path, depth + 1)
            elif self.reader.wants(path, is_folder=False):
                yield path

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(os.path.join(self.root, folder)) as found:
                return list(found)
        except FileNotFoundError:
            return []
        except OSError as exc:
            self._reject(folder or ".", f"cannot be read: {exc.strerror}")
            return []

    def _take(self, path: str) -> None:
        if len(self.files) == LIMIT_FILES:
            raise ImportInvalidError(
                f"{self.root} holds more than {LIMIT_FILES} files of this format", hint="Name a part of it."
            )
        try:
            data = _bytes_of(os.path.join(self.root, path), self._left, follows_link=False)
        except FileNotFoundError:
            self.notes.append(Note("file_vanished", f"{path} went away while the folder was read", path=path))
            return
        except OSError as exc:
            is_link = os.path.islink(os.path.join(self.root, path))
            self._reject(path, "is a symbolic link" if is_link else f"cannot be read: {exc.strerror}")
            return
        if isinstance(data, int):
            self._reject(path, f"is {kind_of_file(data)}")
            return
        if len(data) > self._left:
            raise _too_large(self.root)
        self._left -= len(data)
        self.files.append(SourceFile(path, data))

    def _reject(self, path: str, fact: str) -> None:
        self.rejections.append(Rejection(None, "file_unreadable", f"{path} {fact}", path=path))


def _is_text(name: str) -> bool:
    """Whether a name of the file system can be said in a report."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def source_name(project_root: str, path: str) -> str:
    """The file's path in the project, the same from every worktree; only its name where it lies outside."""
    folder, name = os.path.split(os.path.abspath(path))
    folder = os.path.realpath(folder)
    checkout = find_checkout(folder)
    main = main_worktree(checkout) if checkout and checkout.is_linked else None
    if checkout and main:
        folder = os.path.join(main, os.path.relpath(folder, checkout.root))
    inside = os.path.relpath(os.path.join(folder, name), os.path.realpath(project_root))
    is_outside = inside.split(os.sep, 1)[0] == os.pardir
    return checked_text(name if is_outside else inside.replace(os.sep, "/"), field="the file's name")
