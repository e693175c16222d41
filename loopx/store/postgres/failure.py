"""What PostgreSQL reports, as our errors: the one place where psycopg's exceptions are translated."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

import psycopg
from psycopg import errors

from loopx.core.errors import (
    BusyTimeoutError,
    DatabaseCorruptError,
    DatabaseUnreachableError,
    DiskFullError,
    LoopxError,
    ReadOnlyError,
    StorageFaultError,
    TextInvalidError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

_BUSY = (errors.LockNotAvailable, errors.QueryCanceled, errors.DeadlockDetected, errors.SerializationFailure)
_FULL = (errors.DiskFull, errors.OutOfMemory)
_READ_ONLY = (errors.ReadOnlySqlTransaction, errors.InsufficientPrivilege)
_CORRUPT = (errors.DataCorrupted, errors.IndexCorrupted)
_REFUSED = (errors.InvalidAuthorizationSpecification, errors.InvalidPassword, errors.InvalidCatalogName)
_LOST = (errors.AdminShutdown, errors.CrashShutdown, errors.CannotConnectNow, errors.IdleInTransactionSessionTimeout)
_PASSWORD = re.compile(r"(?i)(://[^:/@\s]*:)[^@\s]*(?=@)|(password\s*=\s*)('(?:[^'\\]|\\.)*'|[^\s&]+)")


@contextmanager
def translated() -> Iterator[None]:
    """Raise our error for whatever psycopg raises inside; a misuse of ours stays a bug."""
    try:
        yield
    except UnicodeEncodeError as exc:
        raise TextInvalidError(
            f"{exc.object[exc.start : exc.end]!a} is a lone surrogate and cannot be stored or looked for",
            hint="Send every text as valid UTF-8.",
        ) from exc
    except psycopg.Error as exc:
        error = storage_error(exc)
        if error is None:
            raise
        raise error from None  # the cause may quote the address with its password


def storage_error(exc: psycopg.Error) -> LoopxError | None:
    """The error that a fault of the server or the way to it means, or None where it is a bug."""
    said = without_password(str(exc).strip().partition("\n")[0])
    if isinstance(exc, _BUSY):
        return BusyTimeoutError(
            f"another writer kept the database locked past the deadline ({said})", hint="Repeat it."
        )
    if isinstance(exc, _FULL):
        return DiskFullError(
            f"the server took no more bytes ({said}); nothing was changed", hint="Free some space there."
        )
    if isinstance(exc, _READ_ONLY):
        return ReadOnlyError(f"the server does not let this user write ({said})", hint="Check the user's rights.")
    if isinstance(exc, _CORRUPT):
        return DatabaseCorruptError(
            f"the server reports damage ({said})", hint="See the server's log; restore a backup."
        )
    if is_lost(exc) or isinstance(exc, _REFUSED):
        return DatabaseUnreachableError(
            f"the database server cannot be reached ({said}); nothing was changed",
            hint="Check LOOPX_DATABASE_URL and the server, then repeat the call.",
        )
    if isinstance(exc, errors.SystemError):
        return StorageFaultError(f"the server failed ({said}); nothing was changed", hint="See the server's log.")
    return None


def is_lost(exc: psycopg.Error) -> bool:
    """Whether the session is gone, and no statement of it was refused for what it says."""
    return isinstance(exc, _LOST) or (isinstance(exc, psycopg.OperationalError) and exc.sqlstate is None)


def without_password(text: str) -> str:
    """The text with every password of an address or of `password=` left out."""
    return _PASSWORD.sub(lambda found: f"{found[1] or found[2]}***", text)
