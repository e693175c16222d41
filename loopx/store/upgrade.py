"""Bringing an older database to the program's schema: alone, and only after a verified backup."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from loopx import failpoint
from loopx.core.errors import SchemaOlderError
from loopx.store.backup_ring import AUTOMATIC, keep_copy
from loopx.store.connect import limit_wait, open_as_it_is
from loopx.store.migrate import migrate, refuse_foreign_version

if TYPE_CHECKING:
    import sqlite3

    from loopx.store.database import Store


def upgrade(store: Store) -> str | None:
    """Back up and migrate the database; the backup's name, or None where another process was first.

    SchemaNewerError, DatabaseCorruptError for a file that is not ours, BusyTimeoutError, storage errors; then
    the database is as it was.
    """
    with store.alone() as deadline, closing(open_as_it_is(store.paths.database)) as db:
        limit_wait(db, deadline.remaining_us())
        if not _is_older(db):
            return None
        db.execute("BEGIN")
        try:
            name = keep_copy(db, store.paths, AUTOMATIC, store.clock.now(), store.ids)
        finally:
            db.execute("ROLLBACK")
        failpoint.reach("upgrade: backed up")
        migrate(db)
        failpoint.reach("upgrade: migrated")
        return name


def _is_older(db: sqlite3.Connection) -> bool:
    try:
        refuse_foreign_version(db)
    except SchemaOlderError:
        return True
    return False
