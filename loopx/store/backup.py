"""Copies of the database, only ever made through SQLite's online backup, and verified before they count.

A backup is one file. The registry's bytes travel in it, so that a restore can say whether they differ.
"""

from __future__ import annotations

import base64
import os
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

from loopx import failpoint
from loopx.core.errors import DatabaseCorruptError
from loopx.core.value import Value
from loopx.files import NEW_FILE_MODE, storage_error, sync_folder
from loopx.store.failure import translated
from loopx.store.paths import SIDECARS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from loopx.ports import IdSource

REGISTRY_KEY = "backup_registry"  # in the copy's `meta`, as base64: the bytes of a faulty file need not be text
TAKEN_KEY = "backup_taken_at"
_LAST_EVENT = "SELECT sequence, digest FROM events ORDER BY sequence DESC LIMIT 1"
_TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"


class Content(Value):
    """What a database holds, as far as a copy must hold the same."""

    version: int
    last_sequence: int
    last_digest: str | None
    rows: tuple[tuple[str, int], ...]

    def rows_of(self, table: str) -> int:
        """How many rows that table has."""
        return dict(self.rows).get(table, 0)


def content_of(db: sqlite3.Connection) -> Content:
    """What the database holds on the caller's snapshot, whatever its schema version."""
    rows = tuple((name, _count(db, name)) for (name,) in db.execute(_TABLES).fetchall() if name != "meta")
    version = int(db.execute("PRAGMA user_version").fetchone()[0])
    last_sequence, last_digest = _last_event(db) if dict(rows).get("events") else (0, None)
    return Content(version, last_sequence, last_digest, rows)


def copy_database(source: sqlite3.Connection, target: str, notes: Mapping[str, str], *, ids: IdSource) -> Content:
    """Put a verified copy of the source at the path, whole or not at all; what stood there is replaced.

    The caller is inside a transaction, so that the copy and what it is compared with are one snapshot.
    `notes` are kept in the copy's `meta`. DatabaseCorruptError where the copy is not what the source is,
    DiskFullError, ReadOnlyError and other storage errors.
    """
    unfinished = f"{target}.{ids.new('new')}"
    try:
        os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_RDWR, NEW_FILE_MODE))
        with translated(), closing(sqlite3.connect(unfinished, isolation_level=None)) as copy:
            content = _fill(source, copy, notes)
        sync_file(unfinished)
        failpoint.reach("backup: written")
        os.replace(unfinished, target)
        failpoint.reach("backup: renamed")
        sync_folder(os.path.dirname(target))
    except OSError as exc:
        raise storage_error(exc, target) from exc
    finally:
        remove_database(unfinished)
    return content


def remove_database(path: str) -> None:
    """Take away a database file that nobody uses, and what SQLite left beside it."""
    for suffix in SIDECARS:
        if os.path.lexists(path + suffix):
            os.unlink(path + suffix)


def registry_notes(registry: str, now: int) -> dict[str, str]:
    """What a backup keeps beside the tables: the registry's bytes, where they can be read, and when it was taken."""
    try:
        with open(registry, "rb") as file:
            data = file.read()
    except OSError:  # a backup of the tables is worth having without the file too
        return {TAKEN_KEY: str(now)}
    return {TAKEN_KEY: str(now), REGISTRY_KEY: base64.b64encode(data).decode("ascii")}


def kept_registry(db: sqlite3.Connection) -> bytes | None:
    """The registry's bytes as the backup keeps them, or None."""
    row = db.execute("SELECT value FROM meta WHERE key = ?", (REGISTRY_KEY,)).fetchone()
    return base64.b64decode(row[0]) if row else None


def forget_notes(db: sqlite3.Connection) -> None:
    """Make a copy of a backup a state again."""
    db.execute("DELETE FROM meta WHERE key IN (?, ?)", (REGISTRY_KEY, TAKEN_KEY))


def refuse_damaged(db: sqlite3.Connection) -> None:
    """DatabaseCorruptError with SQLite's own words where its pages are not sound."""
    words = [row[0] for row in db.execute("PRAGMA integrity_check(5)")]
    if words != ["ok"]:
        raise DatabaseCorruptError(
            f"the pages of the database are damaged: {words[0]}",
            hint="Run `loopx doctor` for the whole list.",
            faults=words,
        )


def _fill(source: sqlite3.Connection, copy: sqlite3.Connection, notes: Mapping[str, str]) -> Content:
    wanted = content_of(source)  # reading pins the snapshot that is copied next
    source.backup(copy)
    copy.execute("PRAGMA journal_mode = DELETE")  # one file, with no log beside it
    copy.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", list(notes.items()))
    refuse_damaged(copy)
    content = content_of(copy)
    if content != wanted:
        raise DatabaseCorruptError(
            "the copy does not hold what the database holds; it was thrown away",
            hint="Repeat the call; where it fails again, run `loopx doctor`.",
        )
    return content


def sync_file(path: str) -> None:
    """Make the bytes of a file that others have written durable; OSError."""
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _count(db: sqlite3.Connection, table: str) -> int:
    return int(db.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0])


def _last_event(db: sqlite3.Connection) -> tuple[Any, ...]:
    return db.execute(_LAST_EVENT).fetchone() or (0, None)
