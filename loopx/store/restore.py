"""Bringing a backup back: prepared and verified beside the state, then put into it in one step.

The content goes into the database file that is there, as one SQLite transaction, so that processes which
have it open see the restored state and never write into a file that nobody finds any more. Only a file
that SQLite cannot read is set aside and replaced.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from loopx import failpoint
from loopx.core.errors import BackupInvalidError, BusyTimeoutError
from loopx.files import NEW_FILE_MODE, storage_error, sync_folder
from loopx.store.backup import content_of, forget_notes, remove_database, sync_file
from loopx.store.backup_ring import REPLACED, backup_folder, free_name, keep_copy
from loopx.store.chain import chain_faults
from loopx.store.connect import limit_wait, open_as_it_is, open_copy
from loopx.store.failure import is_damage, translated
from loopx.store.health import broken_references, damaged_pages
from loopx.store.migrate import migrate, schema_version
from loopx.store.paths import SIDECARS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from loopx.ports import Clock, IdSource
    from loopx.store.lock import Deadline
    from loopx.store.paths import StatePaths

_SHOWN_FAULTS = 5
_OWN_TABLES = {"todos", "events", "operations"}  # that every version has
_POLL_SECONDS = 0.02  # between two looks at a lock that a foreign program holds


@contextmanager
def prepared_copy(file: str, paths: StatePaths, ids: IdSource) -> Iterator[sqlite3.Connection]:
    """A verified copy of the backup in the state folder, at the program's schema; gone afterwards.

    BackupInvalidError for a file that is no sound backup, SchemaNewerError, storage errors.
    """
    unfinished = f"{paths.database}.{ids.new('new')}"
    try:
        os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_RDWR, NEW_FILE_MODE))
        with translated(), closing(sqlite3.connect(unfinished, isolation_level=None)) as copy:
            _read_backup(file, copy)
            yield copy
    except OSError as exc:
        raise storage_error(exc, paths.database) from exc
    finally:
        remove_database(unfinished)


def keep_replaced(paths: StatePaths, clock: Clock, ids: IdSource) -> str | None:
    """Copy the present database into the backups; the copy's name, or None where none can be read."""
    if not os.path.exists(paths.database):
        return None
    with closing(open_as_it_is(paths.database)) as db:
        if not _is_readable(db):
            return None
        db.execute("BEGIN")
        return keep_copy(db, paths, REPLACED, clock.now(), ids)


def put_in_place(
    copy: sqlite3.Connection, paths: StatePaths, *, clock: Clock, ids: IdSource, deadline: Deadline
) -> str | None:
    """Let the database be what the copy is; the name under which an unreadable one was set aside.

    The caller is alone with the state and has closed its connections. BusyTimeoutError where a foreign program
    keeps the database locked, storage errors; then the state is as it was.
    """
    forget_notes(copy)
    failpoint.reach("restore: prepared")
    if os.path.exists(paths.database):
        with closing(open_as_it_is(paths.database)) as live:
            if _is_readable(live):
                _overwrite(copy, live, deadline)
                failpoint.reach("restore: overwritten")
                return None
    aside = _set_aside(paths, clock)
    failpoint.reach("restore: set aside")
    _install(copy, paths.database, ids)
    return aside


def _read_backup(file: str, copy: sqlite3.Connection) -> None:
    try:
        with closing(open_copy(file)) as source:
            source.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")
        if schema_version(copy) == 0 or not set(dict(content_of(copy).rows)) >= _OWN_TABLES:
            raise _invalid("it is no database of loopx")
        _refuse_unsound(copy)
    except sqlite3.DatabaseError as exc:
        if not is_damage(exc):
            raise
        raise _invalid(str(exc)) from exc
    migrate(copy)
    copy.execute("PRAGMA foreign_keys = ON")


def _refuse_unsound(copy: sqlite3.Connection) -> None:
    faults = [
        *damaged_pages(copy),
        *(f"{table} {key} names a row of {parent} that is not there" for table, key, parent in broken_references(copy)),
        *map(str, chain_faults(copy)),
    ]
    if faults:
        raise _invalid(faults[0], faults)


def _invalid(fact: str, faults: list[str] | None = None) -> BackupInvalidError:
    return BackupInvalidError(
        f"the file cannot be restored: {fact}",
        hint="Take another backup; the state is as it was.",
        faults=(faults or [fact])[:_SHOWN_FAULTS],
    )


def _is_readable(db: sqlite3.Connection) -> bool:
    """Whether it is a database of loopx whose every page can be read, so that it can be copied and written into."""
    try:
        return schema_version(db) > 0 and not damaged_pages(db)
    except sqlite3.DatabaseError as exc:
        if not is_damage(exc):
            raise
        return False


def _overwrite(copy: sqlite3.Connection, live: sqlite3.Connection, deadline: Deadline) -> None:
    def stop_in_time(status: int, _remaining: int, _total: int) -> None:
        if status in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) and not deadline.remaining_us():
            raise BusyTimeoutError("another program keeps the database locked", hint="Stop it, then repeat the call.")

    limit_wait(live, deadline.remaining_us())
    live.execute("PRAGMA synchronous = FULL")
    copy.backup(live, progress=stop_in_time, sleep=_POLL_SECONDS)


def _set_aside(paths: StatePaths, clock: Clock) -> str | None:
    """Move the files of a database that cannot be opened; its log first, which would be taken for the new one's."""
    if not os.path.lexists(paths.database):
        return None
    folder = backup_folder(paths)
    name = free_name(folder, REPLACED, clock.now(), ".db")
    for suffix in reversed(SIDECARS):
        if os.path.lexists(paths.database + suffix):
            os.rename(paths.database + suffix, os.path.join(folder, name + suffix))
    return name


def _install(copy: sqlite3.Connection, database: str, ids: IdSource) -> None:
    """Give the copy's own file its place; it is still open, and so it is copied once more under the new name."""
    unfinished = f"{database}.{ids.new('new')}"
    try:
        with closing(sqlite3.connect(unfinished, isolation_level=None)) as target:
            copy.backup(target)
        sync_file(unfinished)
        os.rename(unfinished, database)
        sync_folder(os.path.dirname(database))
    finally:
        remove_database(unfinished)
