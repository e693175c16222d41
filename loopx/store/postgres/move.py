"""The server's end of moving a project there: one transaction, in which the copy is made and compared (S1.1)."""

from __future__ import annotations

from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from loopx.core.errors import StorageFaultError
from loopx.store.postgres.address import shown  # noqa: F401 - the use case takes it from here
from loopx.store.postgres.connection import connect
from loopx.store.postgres.copy import copy_rows, measured, tables_of
from loopx.store.postgres.failure import translated
from loopx.store.postgres.schema import found, refuse_foreign_version

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator

    from loopx.store.postgres.connection import PostgresConnection
    from loopx.store.postgres.copy import Copied

_META = "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
_STATE = "SELECT value FROM meta WHERE key = 'project_id'"


@contextmanager
def entered(url: str) -> Iterator[PostgresConnection]:
    """A session in a transaction that is rolled back unless `commit` ends it. DatabaseUnreachableError."""
    with translated(), closing(connect(url)) as db:
        db.execute("BEGIN")
        try:
            yield db
        finally:
            if db.is_usable and db.in_transaction:
                db.execute("ROLLBACK")


def carried(
    source: sqlite3.Connection,
    target: PostgresConnection,
    *,
    state: str,
    registry: bytes,
    progress: Callable[[str], None],
) -> list[Copied] | None:
    """Make the project there as it is here; None where another project is there. StorageFaultError.

    A copy that an earlier try has committed is compared like a new one.
    """
    tables = tables_of(source)
    is_new = found(target, state=state, registry=registry)
    if is_new:
        target.executemany(_META, [row for row in source.execute("SELECT * FROM meta") if row[0] != "project_id"])
        copy_rows(source, target, tables, progress)
    else:
        refuse_foreign_version(target)
        if target.execute(_STATE).fetchone() != (state,):
            return None
    here, there = measured(source, tables), measured(target, tables)
    if here == there:
        return there
    if not is_new:
        return None
    differs = next(one.table for one, other in zip(here, there, strict=True) if one != other)
    raise StorageFaultError(f"the copy of {differs} is not what it should be; nothing was moved", hint="Report this.")


def commit(target: PostgresConnection) -> None:
    """Keep what was made."""
    target.execute("COMMIT")
