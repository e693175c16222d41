"""An opened folder: by descriptor, where the system opens names relative to one, otherwise by path."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Protocol

from loopx.core.errors import PathEscapeError

if TYPE_CHECKING:
    from typing import Self

NEW_FILE = 0o666  # the umask takes its part away
_FLAGS = (
    getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)  # opening a pipe must not wait for its other end
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_JUNCTION = getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", -1)  # of Windows: leads elsewhere and calls itself a folder


class Place(Protocol):
    """One folder; names are single, and links are never followed. What fails raises OSError."""

    def look(self, name: str) -> os.stat_result | None:
        """What the name itself is, or None."""
        ...

    def enter(self, name: str) -> Place:
        """The folder of that name."""
        ...

    def make(self, name: str) -> None:
        """Make a folder."""
        ...

    def open(self, name: str, flags: int) -> int:
        """A descriptor of the file of that name."""
        ...

    def replace(self, name: str, by: str) -> None:
        """Give the first file the second name, whatever was there."""
        ...

    def remove(self, name: str) -> None:
        """Remove the file, if it is there."""
        ...

    def close(self) -> None:
        """Let go of the folder."""
        ...


class FdPlace:
    """By descriptor: nobody can put another folder in this one's place."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    @staticmethod
    def is_supported() -> bool:
        """Whether this system has all the calls."""
        wanted = {os.open, os.mkdir, os.stat, os.rename, os.unlink}
        return wanted <= os.supports_dir_fd and hasattr(os, "O_NOFOLLOW") and hasattr(os, "O_DIRECTORY")

    @classmethod
    def root(cls, path: str) -> Self:
        """The folder at a path without links."""
        return cls(os.open(path, os.O_RDONLY | os.O_DIRECTORY | _FLAGS))

    def look(self, name: str) -> os.stat_result | None:
        try:
            return os.stat(name, dir_fd=self._fd, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def enter(self, name: str) -> FdPlace:
        return FdPlace(os.open(name, os.O_RDONLY | os.O_DIRECTORY | _FLAGS, dir_fd=self._fd))

    def make(self, name: str) -> None:
        os.mkdir(name, dir_fd=self._fd)

    def open(self, name: str, flags: int) -> int:
        return os.open(name, flags | _FLAGS, NEW_FILE, dir_fd=self._fd)

    def replace(self, name: str, by: str) -> None:
        os.rename(name, by, src_dir_fd=self._fd, dst_dir_fd=self._fd)
        os.fsync(self._fd)

    def remove(self, name: str) -> None:
        if self.look(name) is not None:
            os.unlink(name, dir_fd=self._fd)

    def close(self) -> None:
        os.close(self._fd)


class PathPlace:
    """By path: each step is checked once more after it was taken."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._refuse_moved()

    @classmethod
    def root(cls, path: str) -> Self:
        """The folder at a path without links."""
        return cls(path)

    def look(self, name: str) -> os.stat_result | None:
        try:
            found = os.lstat(self._join(name))
        except FileNotFoundError:
            return None
        if getattr(found, "st_reparse_tag", None) == _JUNCTION:
            raise self._moved()
        return found

    def enter(self, name: str) -> PathPlace:
        return PathPlace(self._join(name))

    def make(self, name: str) -> None:
        os.mkdir(self._join(name))

    def open(self, name: str, flags: int) -> int:
        self._refuse_moved()
        fd = os.open(self._join(name), flags | _FLAGS, NEW_FILE)
        try:
            self._refuse_moved()
            found = os.lstat(self._join(name))
            if stat.S_ISLNK(found.st_mode) or not os.path.samestat(found, os.fstat(fd)):
                raise self._moved()
        except BaseException:
            os.close(fd)
            raise
        return fd

    def replace(self, name: str, by: str) -> None:
        self._refuse_moved()
        os.replace(self._join(name), self._join(by))

    def remove(self, name: str) -> None:
        if self.look(name) is not None:
            os.unlink(self._join(name))

    def close(self) -> None:
        """Nothing is held."""

    def _join(self, name: str) -> str:
        return os.path.join(self._path, name)

    def _refuse_moved(self) -> None:
        if os.path.realpath(self._path) != self._path:
            raise self._moved()

    def _moved(self) -> PathEscapeError:
        return PathEscapeError(
            "a folder on the way was exchanged for a link", hint="Look at what changes the workspace."
        )
