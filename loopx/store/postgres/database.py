"""The store on PostgreSQL: snapshot reads, and write transactions one at a time, on every host (S1, S2.1).

Writers wait for one another in the server's own queue, which is first come first served. So what a
verb reads in its transaction is what it changes, as on SQLite, and the history is one gapless chain.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import psycopg

from loopx import failpoint
from loopx.core.errors import AlreadyInitialisedError, CommitUnknownError
from loopx.store.guard import settle_guard
from loopx.store.opening import opened
from loopx.store.postgres.address import shown
from loopx.store.postgres.clock import ServerClock
from loopx.store.postgres.connection import PostgresConnection, connect
from loopx.store.postgres.failure import is_lost, translated
from loopx.store.postgres.listener import Listener
from loopx.store.postgres.schema import found, migrate, refuse_foreign_version, schema_version
from loopx.system import SystemClock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from loopx.core.instant import Duration, Instant
    from loopx.ports import Clock, IdSource, TokenSource
    from loopx.store.connection import Connection
    from loopx.store.transaction import Transaction

T = TypeVar("T")

_SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_BEGIN = (
    "BEGIN; SET LOCAL lock_timeout = {milliseconds};"
    " SELECT pg_advisory_xact_lock(hashtextextended('loopx writers of ' || current_schema(), 0))"
)
_NOW = "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)"
_NOW_AND_TURN = f"{_NOW}, CAST(pg_current_xact_id() AS TEXT)"
_NOTIFY = "SELECT pg_notify('loopx_' || md5(current_schema()), '')"
_WHAT_BECAME = "SELECT pg_xact_status(CAST(? AS xid8))"


class PostgresStore:
    """One project's schema on a server. Sessions open on first use and stay until `close`."""

    def __init__(self, url: str, *, clock: Clock, ids: IdSource, tokens: TokenSource, timeout: Duration) -> None:
        """In the place of this machine's clock the server's counts, the same for all hosts; one of a test's counts."""
        self.url = url
        self.clock: Clock = ServerClock(clock) if isinstance(clock, SystemClock) else clock
        self.ids = ids
        self.tokens = tokens
        self._timeout = timeout
        self._session: PostgresConnection | None = None
        self._listener: Listener | None = None
        self._founding: bytes | None = None

    def read(self, query: Callable[[PostgresConnection], T]) -> T:
        """The query's answer on one consistent snapshot; asked again where the session was lost."""
        with translated():
            try:
                return self._on_snapshot(query)
            except psycopg.Error as exc:
                if not is_lost(exc):
                    raise
            self._forget()
            return self._on_snapshot(query)

    @contextmanager
    def write(self, *, dry_run: bool = False, mends_graph: bool = False) -> Iterator[Transaction]:
        """One write transaction; any exception inside leaves the old state.

        BusyTimeoutError past the deadline; DatabaseUnreachableError where nothing was changed;
        CommitUnknownError where the server went away while it committed and cannot be asked.
        """
        with translated():
            db = self._begun()
            failpoint.reach("write: begun")
            try:
                self._found(db)
                server_now, turn = db.execute(_NOW_AND_TURN).fetchone() or (0, "")
                yield opened(db, now=self._told(server_now), ids=self.ids, tokens=self.tokens, mends_graph=mends_graph)
                failpoint.reach("write: changed")
                settle_guard(db, mends_graph=mends_graph)
                failpoint.reach("write: before commit")
                if dry_run:
                    db.execute("ROLLBACK")
                else:
                    self._commit(db, turn)
                failpoint.reach("write: committed")
            except BaseException:
                if db.is_usable and db.in_transaction:
                    db.execute("ROLLBACK")
                raise

    def now(self, db: Connection) -> Instant:
        """The present instant by the server's clock."""
        return self._told(int(db.execute(_NOW).fetchone()[0]))

    def described(self) -> dict[str, Any]:
        """Engine, address without its password, and the version of the schema there."""
        return {
            "engine": "postgresql",
            "path": shown(self.url),
            "exists": True,
            "schema": self.read(schema_version),
        }

    def change_mark(self) -> tuple[object, ...]:
        """What differs once another session has written; heard from the server, not asked for."""
        with translated():
            if self._listener is None:
                self._listener = Listener(self.url)
            return (self._listener.heard(),)

    def found_with_next_write(self, registry: bytes) -> None:
        """Let the next write make the project, with this registry, in its own transaction.

        That write raises AlreadyInitialisedError where a project is there by then.
        """
        self._founding = registry

    def upgrade(self) -> bool:
        """Bring the schema to the program's version; whether anything was done. SchemaNewerError."""
        with translated():
            self._forget()
            db = connect(self.url, wait=self._timeout)
            try:
                return migrate(db)
            finally:
                db.close()

    def close(self) -> None:
        """End the sessions."""
        self._forget()
        if self._listener is not None:
            self._listener.close()
            self._listener = None

    def _on_snapshot(self, query: Callable[[PostgresConnection], T]) -> T:
        db = self._open()
        db.execute(_SNAPSHOT)
        try:
            return query(db)
        finally:
            if db.is_usable and db.in_transaction:
                db.execute("ROLLBACK")

    def _begun(self) -> PostgresConnection:
        """A session whose turn it is; a lost one is replaced, since nothing was asked of it yet."""
        try:
            return self._take_turn()
        except psycopg.Error as exc:
            if not is_lost(exc):
                self._give_up_turn()
                raise
        self._forget()
        return self._take_turn()

    def _take_turn(self) -> PostgresConnection:
        db = self._open()
        db.run_script(_BEGIN.format(milliseconds=max(1, self._timeout // 1_000)))
        return db

    def _give_up_turn(self) -> None:
        if self._session is not None and self._session.is_usable and self._session.in_transaction:
            self._session.execute("ROLLBACK")

    def _commit(self, db: PostgresConnection, turn: str) -> None:
        """Commit, and where the session is lost over it, ask the server what became of the transaction."""
        try:
            db.run_script(f"{_NOTIFY}; COMMIT")
        except psycopg.Error as exc:
            if not is_lost(exc):
                raise
            self._forget()
            if self._what_became(turn) != "committed":
                raise

    def _what_became(self, turn: str) -> str:
        try:
            (status,) = self._open().execute(_WHAT_BECAME, (turn,)).fetchone() or (None,)
            return str(status)
        except psycopg.Error as exc:
            raise CommitUnknownError(
                "the server went away while it committed, and whether it did is not known",
                hint="Repeat the call with the same --operation-id; `loopx log` shows what was done.",
            ) from exc

    def _open(self) -> PostgresConnection:
        if self._session is None or not self._session.is_usable:
            session = connect(self.url, wait=self._timeout)
            try:
                if self._founding is None:
                    refuse_foreign_version(session)
            except BaseException:
                session.close()
                raise
            self._session = session
        return self._session

    def _found(self, db: PostgresConnection) -> None:
        if self._founding is not None:
            if not found(db, state=self.ids.new("state"), registry=self._founding):
                raise AlreadyInitialisedError(
                    "there is a project on the server already",
                    hint="Use it; `loopx where` tells which one it is.",
                )
            self._founding = None

    def _told(self, now: Instant) -> Instant:
        return self.clock.hear(now) if isinstance(self.clock, ServerClock) else self.clock.now()

    def _forget(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None
