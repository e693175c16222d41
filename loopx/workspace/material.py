"""Looking at a material where it is: its revision from its bytes, or why there is none.

The folder of the project counts, whatever worktree asks, so that all peers see one revision. A link may
lead elsewhere inside the repository and no further. Nothing is fetched, nothing is kept of the bytes.
"""

from __future__ import annotations

import os
import stat
from hashlib import sha256
from typing import TYPE_CHECKING

from loopx.core.errors import UsageError
from loopx.core.material import MaterialState, ReferenceKind, Sighting, parse_reference
from loopx.workspace.checkout import find_checkout, is_within

if TYPE_CHECKING:
    from loopx.core.material import Reference

LARGEST_BYTES = 64 * 1024 * 1024  # a document to read; more would hold up whoever asks
_CHUNK_BYTES = 1 << 20
_ANSWER_SECONDS = 10  # git answers in milliseconds; a hanging file system must not hang us
_OBJECT = b"100"  # modes of regular files begin so; links (120000) and folders (040000) are no documents


def sight(root: str, spelling: str, stated: str | None = None) -> Sighting:
    """What is at the reference, for a project in the folder `root`; `stated` is what somebody said of it."""
    try:
        reference = parse_reference(spelling)
    except UsageError:
        return _inaccessible("the registry's reference is none, or leads outside the project")
    if reference.kind.is_stated:
        return Sighting(revision=stated)
    return _file(root, reference.place) if reference.kind is ReferenceKind.FILE else _blob(root, reference)


def _inaccessible(why: str) -> Sighting:
    return Sighting(fault=MaterialState.INACCESSIBLE, why=why)


def _file(root: str, place: str) -> Sighting:
    path = os.path.realpath(os.path.join(root, place))
    if not _is_ours(root, path):
        return _inaccessible("a link leads outside the project and its repository")
    try:
        return _hashed(path)
    except (FileNotFoundError, NotADirectoryError):
        return Sighting(fault=MaterialState.MISSING, why="there is no such file")
    except OSError as exc:
        return _inaccessible(f"it cannot be read ({exc.strerror})")


def _is_ours(root: str, path: str) -> bool:
    """Whether the real path is in the project or its repository, and not in the state or git's own folder."""
    real = os.path.realpath(root)
    checkout = find_checkout(real)
    homes = (real, checkout.root) if checkout else (real,)
    private = {".git", ".loopx"}
    return any(
        is_within(path, home) and private.isdisjoint(os.path.relpath(path, home).split(os.sep)) for home in homes
    )


def _hashed(path: str) -> Sighting:
    """The digest of a regular file of bounded size; OSError. Nothing else is opened for long: a FIFO would wait."""
    fd = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(fd, "rb") as file:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode):
            return _inaccessible("it is no regular file")
        if found.st_size > LARGEST_BYTES:
            return _inaccessible(f"it has more than {LARGEST_BYTES} bytes")
        digest = sha256()
        while chunk := file.read(_CHUNK_BYTES):
            digest.update(chunk)
    return Sighting(revision=f"sha256:{digest.hexdigest()}")


def _blob(root: str, reference: Reference) -> Sighting:
    """The object id of a file at a git revision, which is the digest of its bytes."""
    assert reference.revision is not None
    if find_checkout(os.path.realpath(root)) is None:
        return _inaccessible("the project is in no git repository")
    tree = _ask(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{reference.revision}^{{tree}}")
    if tree is None:
        return _inaccessible("git could not be asked")
    if not tree:
        return Sighting(fault=MaterialState.MISSING, why="there is no such git revision")
    entry = _ask(root, "ls-tree", "--full-tree", "-z", tree.decode("ascii").strip(), "--", reference.place)
    mode, _, rest = (entry or b"").partition(b" ")
    if not rest:
        return Sighting(fault=MaterialState.MISSING, why="there is no such file at that revision")
    if not mode.startswith(_OBJECT):
        return _inaccessible("it is no regular file")
    return Sighting(revision="git:" + rest.split(b"\t")[0].split()[-1].decode("ascii"))


def _ask(root: str, *argv: str) -> bytes | None:
    """What git prints; empty where it says no, None where it cannot be run."""
    import subprocess

    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(
            ["git", "-C", root, *argv],
            env={**environment, "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_ANSWER_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else b""
