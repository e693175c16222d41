"""The store: lock-free snapshot reads, and write transactions behind the turnstile (S1, S2.1)."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from loopx import failpoint
from loopx.contracts.moved import refuse_moved
from loopx.core.errors import BusyTimeoutError
from loopx.files import lstat_or_none, refuse_unsafe, storage_error, sync_folder
from loopx.store.connect import (
    empty_graph,
    fingerprint,
    in_tenths,
    limit_wait,
    open_immutable,
    open_reader,
    open_writer,
)
from loopx.store.failure import lacks_index, translated
from loopx.store.guard import settle_guard
from loopx.store.lock import Turnstile
from loopx.store.migrate import schema_version
from loopx.store.opening import opened
from loopx.store.paths import SIDECARS, StatePaths, verify_state

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from loopx.core.instant import Duration, Instant
    from loopx.ports import Clock, IdSource, TokenSource
    from loopx.store.connection import Connection
    from loopx.store.lock import Deadline
    from loopx.store.transaction import Transaction

T = TypeVar("T")

FileId = tuple[int, int]  # device and inode

_IMMUTABLE_TRIES = 50  # a writer beside a read-only reader makes it look again


class Store:
    """One project's database. Connections open on first use and stay until `close`."""

    def __init__(
        self, paths: StatePaths, *, clock: Clock, ids: IdSource, tokens: TokenSource, timeout: Duration
    ) -> None:
        self.paths = paths
        self.clock = clock
        self.ids = ids
        self.tokens = tokens
        self._turnstile = Turnstile(paths, timeout_us=timeout)
        self._reader: sqlite3.Connection | None = None
        self._writer: sqlite3.Connection | None = None
        self._opened: FileId | None = None  # the file that the connections are to
        self._wait: Duration | None = None  # how long the writer waits for a lock inside SQLite

    def read(self, query: Callable[[sqlite3.Connection], T]) -> T:
        """The query's answer on one consistent snapshot; nothing is written, no lock is waited for."""
        with translated():
            if not self._exists():
                verify_state(self.paths)
                return query(empty_graph())
            try:
                return _on_snapshot(self._reading(), query)
            except sqlite3.OperationalError as exc:
                if not lacks_index(exc):
                    raise
            return self._read_unwritable(query)

    @contextmanager
    def write(self, *, dry_run: bool = False, mends_graph: bool = False) -> Iterator[Transaction]:
        """One write transaction; any exception inside leaves the old state.

        `mends_graph` lets a transaction start on an invalid graph, so that an edge can be removed.
        BusyTimeoutError past the deadline, StorageError where the disk refuses.
        """
        with translated(), self._turnstile.hold() as deadline:
            failpoint.reach("write: locked")
            db = self._writing(deadline.remaining_us())
            failpoint.reach("write: opened")
            db.execute("BEGIN IMMEDIATE")
            failpoint.reach("write: begun")
            try:
                yield opened(db, now=self.clock.now(), ids=self.ids, tokens=self.tokens, mends_graph=mends_graph)
                failpoint.reach("write: changed")
                settle_guard(db, mends_graph=mends_graph)
                failpoint.reach("write: before commit")
                db.execute("ROLLBACK" if dry_run else "COMMIT")
                failpoint.reach("write: committed")
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise

    @contextmanager
    def alone(self) -> Iterator[Deadline]:
        """No other writer of this project inside, whatever becomes of the database."""
        with translated(), self._turnstile.hold() as deadline:
            verify_state(self.paths)
            yield deadline

    def now(self, db: Connection) -> Instant:
        """The present instant by this machine's clock."""
        return self.clock.now()

    def described(self) -> dict[str, Any]:
        """Engine, path, whether the file is there, and the version of its schema."""
        path = self.paths.database
        return {
            "engine": "sqlite",
            "path": path,
            "exists": os.path.exists(path),
            "schema": self.read(schema_version),
        }

    def change_mark(self) -> tuple[object, ...]:
        """What differs once another process has written; costs microseconds to ask."""
        with translated():
            if not self._exists():
                return ()
            try:
                (version,) = self._reading().execute("PRAGMA data_version").fetchone()
            except sqlite3.OperationalError as exc:
                if not lacks_index(exc):
                    raise
                return fingerprint(self.paths.database)
            return (self._opened, version)

    def close(self) -> None:
        """Close what is open; the last writer folds its log into the database."""
        for db in (self._reader, self._writer):
            if db is not None:
                db.close()
        self._reader = self._writer = self._opened = self._wait = None
        self._turnstile.close()

    def _exists(self) -> bool:
        """Whether there is a database; connections to a file that another one has replaced are closed.

        The file itself is checked each time, what SQLite writes beside it whenever a connection is opened: an open
        one keeps the files that it has (S1.5). PathEscapeError, StateMovedError.
        """
        refuse_moved(self.paths.folder)
        found = lstat_or_none(self.paths.database)
        if found is None:
            self.close()
            return False
        refuse_unsafe(self.paths.database, found)
        identity = (found.st_dev, found.st_ino)
        if self._opened != identity:
            self.close()
            self._opened = identity
        return True

    def _reading(self) -> sqlite3.Connection:
        if self._reader is None:
            verify_state(self.paths)
            self._reader = open_reader(self.paths.database)
        return self._reader

    def _writing(self, wait: Duration) -> sqlite3.Connection:
        if not self._exists():
            verify_state(self.paths)
            create_database(self.paths.database, ids=self.ids)
            self._exists()
        if self._writer is None:
            verify_state(self.paths)
            self._writer = open_writer(self.paths.database, wait=wait)
        tenths = in_tenths(wait)
        if tenths != self._wait:
            limit_wait(self._writer, tenths)
            self._wait = tenths
        return self._writer

    def _read_unwritable(self, query: Callable[[sqlite3.Connection], T]) -> T:
        for _ in range(_IMMUTABLE_TRIES):
            before = fingerprint(self.paths.database)
            db = open_immutable(self.paths.database)
            try:
                answer = _on_snapshot(db, query)
            finally:
                db.close()
            if not before[-1] and fingerprint(self.paths.database) == before:
                return answer
        raise BusyTimeoutError(
            "the database changed under every read of this read-only folder", hint="Repeat the call."
        )


def create_database(database: str, *, ids: IdSource) -> None:
    """Make an empty database at the path, or leave the one that is there.

    Built beside it and renamed, so that nobody ever sees half of one. The caller holds the lock.
    """
    if os.path.exists(database):
        return
    unfinished = f"{database}.{ids.new('new')}"
    try:
        with closing(open_fresh(unfinished, ids=ids)) as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # the log does not go where the file goes
        failpoint.reach("create: built")
        os.rename(unfinished, database)
        failpoint.reach("create: renamed")
        sync_folder(os.path.dirname(database))
    except OSError as exc:
        raise storage_error(exc, database) from exc
    finally:
        for left in SIDECARS:
            if os.path.lexists(unfinished + left):
                os.unlink(unfinished + left)


def open_fresh(path: str, *, ids: IdSource) -> sqlite3.Connection:
    """A new database file with the schema and its opaque project id."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666))
    db = open_writer(path, wait=1_000_000, fresh=True)
    try:
        db.execute("INSERT INTO meta VALUES ('project_id', ?)", (ids.new("state"),))
    except BaseException:
        db.close()
        raise
    return db


def project_id(db: Connection) -> str:
    """The opaque id of the state; `state_empty` before the first write."""
    row = db.execute("SELECT value FROM meta WHERE key = 'project_id'").fetchone()
    return str(row[0]) if row else "state_empty"


def _on_snapshot(db: sqlite3.Connection, query: Callable[[sqlite3.Connection], T]) -> T:
    db.execute("BEGIN")
    try:
        return query(db)
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")
