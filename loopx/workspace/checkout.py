"""Which git checkout a folder belongs to, read from `.git` and `commondir` without running git."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from loopx.core.value import Value

if TYPE_CHECKING:
    from loopx.workspace.gitconfig import GitConfig

_GITDIR_PREFIX = "gitdir:"


class Checkout(Value):
    """A folder with a `.git`. A linked worktree shares its `common_dir` with the main one.

    A submodule is no linked worktree: its git folder lies elsewhere and is its own.
    """

    root: str
    git_dir: str
    common_dir: str
    is_whole: bool = True  # false: `.git` names a git folder that is not there

    @property
    def is_linked(self) -> bool:
        return self.git_dir != self.common_dir

    def config(self) -> GitConfig:
        """The repository's settings as this checkout sees them."""
        from loopx.workspace.gitconfig import read_config  # most calls need none, and it compiles patterns

        return read_config(self.common_dir, self.git_dir)


def find_checkout(folder: str) -> Checkout | None:
    """The innermost checkout at or above the (real) folder; None inside a git folder and outside of all."""
    for above in ancestors(folder):
        checkout = _checkout_at(above)
        if checkout is not None:
            return checkout
        if _is_git_dir(above):
            return None
    return None


def main_worktree(checkout: Checkout) -> str | None:
    """The folder of the main worktree; None for a bare repository, or where only git knows it."""
    common_dir = checkout.common_dir
    own = checkout._replace(git_dir=common_dir)
    placed = _placed_by_config(own.config(), common_dir)
    if placed is None and os.path.basename(common_dir) == ".git":
        placed = os.path.dirname(common_dir)
    return placed if placed and os.path.isdir(placed) else None


def worktree_root(checkout: Checkout, config: GitConfig) -> str | None:
    """Where the checkout's files are; None where the repository is bare or broken."""
    if not checkout.is_whole:
        return None
    if checkout.is_linked:
        return checkout.root
    placed = _placed_by_config(config, checkout.git_dir)
    return checkout.root if placed is None else placed or None


def ancestors(folder: str) -> list[str]:
    """The folder and every one above it, nearest first."""
    found = [folder]
    while (parent := os.path.dirname(folder)) != folder:
        found.append(parent)
        folder = parent
    return found


def is_within(path: str, folder: str) -> bool:
    """Whether the path is the folder or below it; both are absolute and real."""
    return path == folder or path.startswith(os.path.join(folder, ""))


def _placed_by_config(config: GitConfig, git_dir: str) -> str | None:
    """What `core` says about the main worktree: `""` for none, None where it says nothing."""
    if config.is_true("core", "bare"):
        return ""
    worktree = config.last("core", "worktree")
    return os.path.realpath(os.path.join(git_dir, worktree)) if worktree else None


def _checkout_at(folder: str) -> Checkout | None:
    git = os.path.join(folder, ".git")
    if os.path.isdir(git):
        git_dir = os.path.realpath(git)
        return _with_common_dir(folder, git_dir) if _is_git_dir(git_dir) else None
    named = _first_line(git)
    if named is None or not named.startswith(_GITDIR_PREFIX):
        return None if named is None else Checkout(folder, git, git, is_whole=False)
    git_dir = os.path.realpath(os.path.join(folder, named[len(_GITDIR_PREFIX) :].strip()))
    if not _is_git_dir(git_dir):
        return Checkout(folder, git_dir, git_dir, is_whole=False)
    return _with_common_dir(folder, git_dir)


def _with_common_dir(root: str, git_dir: str) -> Checkout:
    named = _first_line(os.path.join(git_dir, "commondir"))
    common_dir = os.path.realpath(os.path.join(git_dir, named.strip())) if named else git_dir
    return Checkout(root, git_dir, common_dir, is_whole=os.path.isdir(common_dir))


def _is_git_dir(folder: str) -> bool:
    """Git's own test, less the contents: a HEAD, and objects of its own or of a common folder."""
    if not os.path.lexists(os.path.join(folder, "HEAD")):
        return False
    return os.path.isdir(os.path.join(folder, "objects")) or os.path.isfile(os.path.join(folder, "commondir"))


def _first_line(path: str) -> str | None:
    """The first line as a path of the system (bytes that are no UTF-8 included); None without a file."""
    try:
        with open(path, "rb") as file:
            return os.fsdecode(file.readline().rstrip(b"\r\n"))
    except OSError:
        return None
