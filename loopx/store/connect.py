"""Connections: how the database is opened for reading and for writing, and what each may do."""

from __future__ import annotations

import os
import sqlite3
from typing import TYPE_CHECKING

from loopx.core.errors import BusyTimeoutError, ReadOnlyError, SqliteTooOldError
from loopx.core.instant import MILLISECOND, SECOND
from loopx.store.migrate import migrate, refuse_foreign_version

if TYPE_CHECKING:
    from loopx.core.instant import Duration

OLDEST_SQLITE = (3, 37, 0)  # STRICT tables
READ_WAIT_S = 5.0  # a reader waits only while another process recovers the -wal
_WAL_TRIES = 200  # switching to WAL answers *locked* at once; each try waits a millisecond inside SQLite


def check_sqlite() -> None:
    """SqliteTooOldError where the linked SQLite lacks what the schema needs."""
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        raise SqliteTooOldError(
            f"SQLite {sqlite3.sqlite_version} is linked; 3.37 or newer is needed",
            hint="Use a Python that is built with a newer SQLite.",
        )


def empty_graph() -> sqlite3.Connection:
    """What a project without a database reads as: the schema and nothing in it."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    migrate(db)
    return db


def open_reader(database: str) -> sqlite3.Connection:
    """A connection that cannot write; it creates nothing but SQLite's own -wal and -shm."""
    check_sqlite()
    db = sqlite3.connect(_uri(database, "mode=ro"), uri=True, isolation_level=None, timeout=READ_WAIT_S)
    return _checked(db)


def open_immutable(database: str) -> sqlite3.Connection:
    """For a folder that takes no files: reads the bytes as they are.

    The caller counts the answer only if the file is unchanged afterwards (`fingerprint`). ReadOnlyError
    where a write-ahead log lies beside the database, since these bytes are then not all there is.
    """
    check_sqlite()
    if _log_bytes(database):
        raise ReadOnlyError(
            "the state folder takes no files and holds an unfinished write-ahead log",
            hint="Open the project once where its folder can be written.",
        )
    return _checked(sqlite3.connect(_uri(database, "immutable=1"), uri=True, isolation_level=None))


def fingerprint(database: str) -> tuple[int, int, int, int]:
    """What changes whenever somebody writes: inode, size, time of change, and the bytes of the log."""
    found = os.stat(database)
    return (found.st_ino, found.st_size, found.st_mtime_ns, _log_bytes(database))


def _log_bytes(database: str) -> int:
    try:
        return os.stat(database + "-wal").st_size
    except FileNotFoundError:
        return 0


def open_writer(database: str, *, wait: Duration, fresh: bool = False) -> sqlite3.Connection:
    """A connection in WAL mode with full sync and foreign keys; `wait` bounds its lock waits.

    Only a `fresh` file is given the schema: an empty one anywhere else is damage and is not written over,
    and an older one is migrated by `doctor --fix` alone, which backs up first. SchemaOlderError, SchemaNewerError.
    """
    check_sqlite()
    db = sqlite3.connect(_uri(database, "mode=rw"), uri=True, isolation_level=None, timeout=wait / SECOND)
    try:
        if not fresh:
            refuse_foreign_version(db)
        _enter_wal(db)
        db.execute("PRAGMA synchronous = FULL")
        db.execute("PRAGMA foreign_keys = ON")
        if fresh:
            migrate(db)
    except BaseException:
        db.close()
        raise
    return db


def open_as_it_is(database: str, *, wait: Duration = SECOND) -> sqlite3.Connection:
    """A connection to a database of any schema version, for copying and migrating it; nothing is set or checked."""
    check_sqlite()
    return sqlite3.connect(_uri(database, "mode=rw"), uri=True, isolation_level=None, timeout=wait / SECOND)


def open_copy(file: str) -> sqlite3.Connection:
    """A connection that only reads a backup, wherever it lies, and leaves no file beside it."""
    check_sqlite()
    query = "mode=ro" if _log_bytes(file) else "immutable=1"
    return sqlite3.connect(_uri(file, query), uri=True, isolation_level=None)


def limit_wait(db: sqlite3.Connection, wait: Duration) -> None:
    """Bound how long the next lock is waited for, to whole milliseconds and at least one."""
    db.execute(f"PRAGMA busy_timeout = {-(-wait // MILLISECOND) or 1}")


def in_tenths(wait: Duration) -> Duration:
    """The wait in whole tenths of a second, rounded up: so it changes seldom from one write to the next."""
    tenth = 100 * MILLISECOND
    return -(-wait // tenth) * tenth


def _uri(database: str, query: str) -> str:
    path = os.fsencode(database).replace(b"%", b"%25").replace(b"?", b"%3f").replace(b"#", b"%23")
    return f"file:{os.fsdecode(path)}?{query}"


def _checked(db: sqlite3.Connection) -> sqlite3.Connection:
    try:
        db.execute("PRAGMA foreign_keys = ON")
        refuse_foreign_version(db)
    except BaseException:
        db.close()
        raise
    return db


def _enter_wal(db: sqlite3.Connection) -> None:
    """Ask for the mode first: an open database in WAL needs no switch, which never waits."""
    if _journal_mode(db) == "wal":
        return
    for _ in range(_WAL_TRIES):
        try:
            if db.execute("PRAGMA journal_mode = WAL").fetchone()[0] == "wal":
                return
        except sqlite3.OperationalError as exc:
            if exc.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise
        if _journal_mode(db) == "wal":
            return
    raise BusyTimeoutError("the database could not be switched to its write-ahead log", hint="Repeat the call.")


def _journal_mode(db: sqlite3.Connection) -> str:
    return str(db.execute("PRAGMA journal_mode").fetchone()[0])
