"""Hearing that somebody has written: a session that listens, so that waiting asks the server nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg

from loopx.store.postgres.connection import connect
from loopx.store.postgres.failure import is_lost

if TYPE_CHECKING:
    from loopx.store.postgres.connection import PostgresConnection

_CHANNEL = "SELECT 'loopx_' || md5(current_schema())"


class Listener:
    """Counts what was heard since it was made. A lost session counts too: what was missed is unknown."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._count = 0
        self._session: PostgresConnection | None = None

    def heard(self) -> int:
        """The number so far; it waits for nothing."""
        try:
            self._count += self._drained()
        except psycopg.Error as exc:
            if not is_lost(exc):
                raise
            self.close()
            self._count += 1
        return self._count

    def close(self) -> None:
        """End the session."""
        if self._session is not None:
            self._session.close()
            self._session = None

    def _drained(self) -> int:
        if self._session is None:
            self._session = connect(self._url)
            (channel,) = self._session.execute(_CHANNEL).fetchone() or ("",)
            self._session.execute(f"LISTEN {channel}")
            return 1
        return sum(1 for _ in self._session.session.notifies(timeout=0))
