"""Changing the registry file: one lock over reading, changing and landing, so that no edit is lost.

YAML, schemas and the file lock are imported by the calls that need them, because commands import
this module for their requests and for `--help` too.
"""

from __future__ import annotations

import errno
from contextlib import contextmanager
from typing import TYPE_CHECKING

from loopx.core.digest import sha256_hex
from loopx.core.errors import BusyTimeoutError
from loopx.core.instant import SECOND, format_duration
from loopx.core.value import Value
from loopx.files import may_write, storage_error, verify_file, write_atomically
from loopx.registry.fault import file_name
from loopx.registry.model import Registry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from loopx.core.instant import Duration
    from loopx.registry.document import RegistryDocument

LOCK_SUFFIX = ".lock"
_BOM = b"\xef\xbb\xbf"
_EMPTY = """\
# The goals of this project, their agents, grants, budget and materials: edit it by hand or by command.
# `loopx schema show registry` explains every key; keys that begin with x- are yours.
version: 1
goals: []
"""
_POLL_SECONDS = 0.02  # edits take milliseconds and are rare


class RegistryEdit(Value):
    """What an edit did; equal digests mean that nothing was written."""

    before_sha256: str
    after_sha256: str
    registry: Registry


class NewGoal(Value):
    """A goal that a new registry begins with; its criteria become A1, A2, …."""

    goal_id: str
    objective: str
    acceptance: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()


def initial_registry(goals: Iterable[NewGoal] = ()) -> bytes:
    """The file that `init` writes. NameTakenError, UsageError, TextInvalidError."""
    from loopx.registry.document import RegistryDocument

    document = RegistryDocument(_EMPTY, "registry.yaml")
    for goal in goals:
        document.add_goal(goal.goal_id, goal.objective, acceptance=goal.acceptance, agents=goal.agents)
    assert document.registry.version == 1  # reading it back is the proof that it is valid
    return document.text.encode("utf-8")


def edit_registry(
    path: str, change: Callable[[RegistryDocument], None], *, timeout_us: Duration, dry_run: bool = False
) -> RegistryEdit:
    """Read the registry, let `change` edit it, and put the result in its place, whole or not at all.

    The file is read inside the lock. Comments, order, quotes, line ends, byte order mark, permissions
    and a symbolic link stay. With `dry_run` nothing is locked or written. RegistryInvalidError where
    the file was invalid before or would be after, BusyTimeoutError, PathEscapeError for a lock that
    is no regular file, DiskFullError, ReadOnlyError and other storage errors; then the file is as it was.
    """
    if dry_run:
        return edited(_read(path), path, change)[0]
    with _lock(path, timeout_us):
        edit, data = edited(_read(path), path, change)
        if edit.after_sha256 != edit.before_sha256:
            _refuse_write_protected(path)
            write_atomically(path, data)
        return edit


def edited(before: bytes, name: str, change: Callable[[RegistryDocument], None]) -> tuple[RegistryEdit, bytes]:
    """What `change` makes of the bytes, and what it did; `name` is told in refusals. RegistryInvalidError."""
    from loopx.registry.document import RegistryDocument
    from loopx.registry.read import decode

    source = decode(before, file_name(name))
    document = RegistryDocument(source.text, file_name(name))
    change(document)
    registry = document.registry
    after = (_BOM if source.has_bom else b"") + document.text.encode("utf-8")
    return RegistryEdit(sha256_hex(before), sha256_hex(after), registry), after


@contextmanager
def _lock(path: str, timeout: Duration) -> Iterator[None]:
    """Keep other editors out; the operating system frees the lock of a dead process."""
    from filelock import FileLock, Timeout

    lock_path = path + LOCK_SUFFIX
    verify_file(lock_path)
    lock = FileLock(lock_path, timeout=timeout / SECOND)
    try:
        lock.acquire(poll_interval=_POLL_SECONDS)
    except Timeout as exc:
        raise BusyTimeoutError(
            f"another process kept {file_name(path)} locked for {format_duration(timeout)}",
            hint="Repeat the call; `loopx doctor` looks for a writer that hangs.",
        ) from exc
    except OSError as exc:
        raise storage_error(exc, lock_path) from exc
    try:
        yield
    finally:
        lock.release()


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as exc:
        raise storage_error(exc, path) from exc


def _refuse_write_protected(path: str) -> None:
    """ReadOnlyError for a file that its owner has protected; renaming alone would not ask."""
    if not may_write(path):
        raise storage_error(PermissionError(errno.EACCES, "write-protected"), path)
