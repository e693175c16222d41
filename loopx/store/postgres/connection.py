"""A PostgreSQL connection that takes our statements: what the store uses of `sqlite3.Connection`, and no more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psycopg
from psycopg.adapt import Loader
from psycopg.pq import TransactionStatus

from loopx.store.postgres.address import parts_of
from loopx.store.postgres.dialect import bound, respelled

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from loopx.core.instant import Duration

APPLICATION = "loopx"
_CONNECT_S = 10


class _NumberLoader(Loader):
    """Sums of whole numbers come as `numeric`; here they are whole numbers again."""

    def load(self, data: bytes | bytearray | memoryview) -> int | float:
        text = bytes(data).decode("ascii")
        return float(text) if "." in text else int(text)


class PostgresConnection:
    """One session. Transactions begin and end by statements, as on SQLite."""

    def __init__(self, session: psycopg.Connection[Any]) -> None:
        self.session = session
        session.adapters.register_loader("numeric", _NumberLoader)

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open, a failed one too."""
        return self.session.info.transaction_status in (
            TransactionStatus.INTRANS,
            TransactionStatus.INERROR,
            TransactionStatus.ACTIVE,
        )

    @property
    def is_usable(self) -> bool:
        """Whether the session was alive when it was last used."""
        return not self.session.closed and not self.session.broken

    def execute(self, sql: str, values: Sequence[Any] | Mapping[str, Any] = ()) -> psycopg.Cursor[Any]:
        """Carry out one of our statements; the cursor has its rows."""
        text = respelled(sql)
        return self.session.execute(text, bound(text, values))

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """The statement for every row, in one round trip."""
        with self.session.cursor() as cursor:
            cursor.executemany(respelled(sql), list(rows))

    def run_script(self, script: str) -> None:
        """PostgreSQL's own statements, taken as they are."""
        self.session.execute(script)

    def close(self) -> None:
        """End the session."""
        self.session.close()


def connect(url: str, *, wait: Duration | None = None) -> PostgresConnection:
    """A session in UTC that commits only by statement. UsageError; psycopg's error where the server is not reached."""
    seconds = _CONNECT_S if wait is None else max(1, wait // 1_000_000)
    parts_of(url)
    session = psycopg.connect(url, autocommit=True, connect_timeout=seconds, application_name=APPLICATION)
    return PostgresConnection(session)
