"""What SQLite reports, as our errors: the one place where sqlite3 exceptions are translated."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING

from loopx.core.errors import (
    BusyTimeoutError,
    DatabaseCorruptError,
    DiskFullError,
    LoopxError,
    ReadOnlyError,
    StorageFaultError,
    TextInvalidError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

# Beside the database a reader needs a shared index, which is the first file that a full disk refuses.
_NO_INDEX = {sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_IOERR_SHMOPEN, sqlite3.SQLITE_IOERR_SHMMAP}
_FULL = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_FSYNC, *_NO_INDEX}
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_CORRUPT = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_READ_ONLY = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_AUTH}
_PRIMARY = 0xFF  # an extended result code holds its primary code in the low byte


@contextmanager
def translated() -> Iterator[None]:
    """Raise our error for whatever sqlite3 raises inside; a misuse of ours stays a bug.

    TextInvalidError for a text that is no UTF-8, whatever field of whatever statement it came in.
    """
    try:
        yield
    except UnicodeEncodeError as exc:
        raise TextInvalidError(
            f"{exc.object[exc.start : exc.end]!a} is a lone surrogate and cannot be stored or looked for",
            hint="Send every text as valid UTF-8.",
        ) from exc
    except sqlite3.DatabaseError as exc:
        error = storage_error(exc)
        if error is None:
            raise
        raise error from exc


def lacks_index(exc: sqlite3.OperationalError) -> bool:
    """Whether the files that SQLite keeps beside a database could not be made or opened."""
    code = exc.sqlite_errorcode
    return code in _NO_INDEX or code & _PRIMARY in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)


def is_damage(exc: sqlite3.DatabaseError) -> bool:
    """Whether the file is no database, or one that is damaged."""
    code = getattr(exc, "sqlite_errorcode", None)
    return code is not None and code & _PRIMARY in _CORRUPT


def storage_error(exc: sqlite3.DatabaseError) -> LoopxError | None:
    """The error that a storage fault means, or None where it is a bug (a constraint, bad SQL)."""
    code = getattr(exc, "sqlite_errorcode", None)
    if code is None:
        return None
    primary = code & _PRIMARY
    if code in _FULL or primary == sqlite3.SQLITE_FULL:
        return DiskFullError(
            f"the disk took no more bytes ({exc}); nothing was changed",
            hint="Free some space, then repeat the call.",
        )
    if primary in _BUSY:
        return BusyTimeoutError(
            f"another process kept the database locked past the deadline ({exc})", hint="Repeat the call."
        )
    if primary in _CORRUPT:
        return DatabaseCorruptError(
            f"the database cannot be read ({exc}); nothing was changed",
            hint="Run `loopx doctor`, and bring a backup back with `loopx restore`.",
        )
    if primary in _READ_ONLY:
        return ReadOnlyError(
            f"the database cannot be opened for this ({exc})",
            hint="Check the permissions of the state folder; `loopx where` names it.",
        )
    if primary in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOLFS, sqlite3.SQLITE_PROTOCOL):
        return StorageFaultError(f"the storage failed ({exc}); nothing was changed", hint="Run `loopx doctor`.")
    return None
