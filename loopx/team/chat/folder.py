"""The folder that file tools may touch: every path is walked name by name and never leaves it.

A name is opened relative to its opened parent and without following links, so that nothing can be put in its
place between the look and the use. Where the system has no such calls each name is looked at, and again after
opening. Refused in any case: `..`, absolute paths, links, files with a second name (it may lie outside), what is
no regular file, and the folders of git and of the state, whose content is code or holds others' tokens.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from loopx.core.errors import FileInvalidError, FileMissingError, LoopxError, PathEscapeError
from loopx.core.layout import STATE_FOLDER
from loopx.files import kind_of_file, storage_error
from loopx.team.chat.place import FdPlace, PathPlace, Place

if TYPE_CHECKING:
    from collections.abc import Iterator

READ_BYTES = 4_000_000  # of one file; more is no text for a model
WRITE_BYTES = 1_000_000
LONGEST_PATH = 400  # characters
_RESERVED = frozenset((".git", STATE_FOLDER, "git~1", "loopx~1"))  # the last two are their short names on Windows
_IGNORED = "\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\ufeff"  # some file systems drop these
_TEMPORARY = ".loopx-new-"
_TRIES = 100  # temporary names, of which a crash may have left some
_OUT_OF_ROOM = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS))


class Folder:
    """One folder and what is in it, for reading and writing by relative path."""

    def __init__(self, root: str, *, by_fd: bool | None = None) -> None:
        self._root = os.path.realpath(root)
        self._kind = FdPlace if (FdPlace.is_supported() if by_fd is None else by_fd) else PathPlace

    def read(self, path: str) -> bytes:
        """The file's bytes. PathEscapeError, FileMissingError, FileInvalidError."""
        *parents, name = split_path(path)
        with _told(path), self._at(parents) as place:
            fd = _open_regular(place, name, path)
            with os.fdopen(fd, "rb") as file:
                return _read_bounded(file.fileno(), path)

    def write(self, path: str, data: bytes) -> bool:
        """Put the bytes at the path, whole or not at all, with the folders above it; whether the file is new.

        An existing file keeps its permissions. PathEscapeError, FileInvalidError, DiskFullError.
        """
        if len(data) > WRITE_BYTES:
            raise FileInvalidError(
                f"{len(data)} bytes are too many for one file; {WRITE_BYTES} are allowed", hint="Write it in parts."
            )
        *parents, name = split_path(path)
        with _told(path), self._at(parents, make=True) as place:
            before = place.look(name)
            if before is not None:
                refuse_unfit(path, before)
            _replace(place, name, data, None if before is None else stat.S_IMODE(before.st_mode))
            return before is None

    @contextmanager
    def _at(self, names: list[str], *, make: bool = False) -> Iterator[Place]:
        """The folder of these names; PathEscapeError for a link on the way."""
        place: Place = self._kind.root(self._root)
        try:
            for at, name in enumerate(names):
                inner = _entered(place, name, "/".join(names[: at + 1]), make=make)
                place.close()
                place = inner
            yield place
        finally:
            place.close()


def split_path(path: str) -> list[str]:
    """The names of a relative path.

    PathEscapeError where it leads out or is reserved; FileInvalidError where it names no file.
    """
    if not 0 < len(path) <= LONGEST_PATH or any(ord(char) < 32 or 0xD800 <= ord(char) <= 0xDFFF for char in path):
        raise FileInvalidError(
            f"a path is 1 to {LONGEST_PATH} characters, none of them a control character", hint="Name one file."
        )
    if path.startswith(("/", "~")) or "\\" in path or ":" in path.partition("/")[0]:
        raise _outside(path, "is not relative to the workspace")
    names = [name for name in path.split("/") if name not in ("", ".")]
    if ".." in names:
        raise _outside(path, "leads out of a folder by ..")
    if not names or path.endswith("/"):
        raise FileInvalidError(f"{path!r} names no file", hint="Name a file of the workspace.", path=path)
    if any(_is_reserved(name) for name in names):
        raise _outside(path, f"lies in a folder that tools do not touch (.git, {STATE_FOLDER})")
    return names


def refuse_unfit(path: str, found: os.stat_result) -> None:
    """Pass for a regular file with one name; PathEscapeError for a link or a second name, else FileInvalidError."""
    if stat.S_ISLNK(found.st_mode):
        raise _outside(path, "is a symbolic link")
    if not stat.S_ISREG(found.st_mode):
        raise FileInvalidError(f"{path} is {kind_of_file(found.st_mode)}", hint="Name a regular file.", path=path)
    if found.st_nlink > 1:
        raise _outside(path, f"has {found.st_nlink} names (hard links), of which one may lie outside")


def _is_reserved(name: str) -> bool:
    """Whether some file system would take the name for a reserved one."""
    from unicodedata import normalize

    bare = "".join(char for char in normalize("NFKC", name) if char not in _IGNORED)
    return bare.partition(":")[0].rstrip(". ").casefold() in _RESERVED


def _entered(place: Place, name: str, path: str, *, make: bool) -> Place:
    if make:
        with suppress(FileExistsError):
            place.make(name)
    found = place.look(name)
    if found is None:
        raise FileMissingError(f"there is no folder {path}", hint="Name a file that exists.", path=path)
    if stat.S_ISLNK(found.st_mode):
        raise _outside(path, "is a symbolic link")
    if not stat.S_ISDIR(found.st_mode):
        raise FileInvalidError(
            f"{path} is {kind_of_file(found.st_mode)}, no folder", hint="Look at the path.", path=path
        )
    return place.enter(name)


def _open_regular(place: Place, name: str, path: str) -> int:
    """A descriptor of the file, checked after it was opened: what is checked is what is read."""
    found = place.look(name)
    if found is None:
        raise FileMissingError(
            f"there is no file {path}", hint="Look at the path; it starts at the workspace.", path=path
        )
    refuse_unfit(path, found)
    fd = place.open(name, os.O_RDONLY)
    try:
        refuse_unfit(path, os.fstat(fd))
    except BaseException:
        os.close(fd)
        raise
    return fd


def _read_bounded(fd: int, path: str) -> bytes:
    pieces: list[bytes] = []
    size = 0
    while piece := os.read(fd, 1 << 16):
        size += len(piece)
        if size > READ_BYTES:
            raise FileInvalidError(
                f"{path} is larger than {READ_BYTES} bytes", hint="Look at a part of it with the shell.", path=path
            )
        pieces.append(piece)
    return b"".join(pieces)


def _replace(place: Place, name: str, data: bytes, mode: int | None) -> None:
    """A new file beside the old one, made durable and put in its place: never written through a link."""
    fd, temporary = _new_file(place)
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            if mode is not None and hasattr(os, "fchmod"):
                os.fchmod(file.fileno(), mode)
        place.replace(temporary, name)
    except BaseException:
        place.remove(temporary)
        raise


def _new_file(place: Place) -> tuple[int, str]:
    for number in range(_TRIES):
        temporary = f"{_TEMPORARY}{os.getpid()}-{number}"
        with suppress(FileExistsError):
            return place.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL), temporary
    raise FileInvalidError("too many unfinished files lie there", hint=f"Remove those named {_TEMPORARY}*.")


@contextmanager
def _told(path: str) -> Iterator[None]:
    """What the system reports, as our errors, without the path of the workspace."""
    try:
        yield
    except LoopxError:
        raise
    except OSError as exc:
        if exc.errno in (errno.ELOOP, errno.EMLINK):
            raise _outside(path, "is a symbolic link") from exc
        if exc.errno in _OUT_OF_ROOM:
            raise storage_error(exc, path) from exc
        if exc.errno == errno.ENOENT:
            raise FileMissingError(f"{path} was removed meanwhile", hint="Look again.", path=path) from exc
        raise FileInvalidError(f"{path} cannot be used: {exc.strerror}", hint="Name another file.", path=path) from exc


def _outside(path: str, fault: str) -> PathEscapeError:
    return PathEscapeError(
        f"{path!r} {fault}", hint="File tools stay in the workspace: name a plain path below it.", path=path
    )
