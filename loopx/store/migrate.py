"""Schema versions: forward only, each in one transaction together with its version (S1.3)."""

from __future__ import annotations

import os
import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING

from loopx.core.errors import DatabaseCorruptError, SchemaNewerError, SchemaOlderError

if TYPE_CHECKING:
    from collections.abc import Iterator

LATEST = 5
_FOLDER = os.path.join(os.path.dirname(__file__), "migrations")


def schema_version(db: sqlite3.Connection) -> int:
    """The version that the database says it has; 0 for an empty one."""
    (version,) = db.execute("PRAGMA user_version").fetchone()
    return int(version)


def refuse_empty(db: sqlite3.Connection) -> None:
    """DatabaseCorruptError for a database that no loopx has made: every one of ours has a version."""
    if schema_version(db) == 0:
        raise DatabaseCorruptError(
            "the database file holds no loopx schema; it was emptied or put there by another program",
            hint="Run `loopx doctor`, and bring a backup back with `loopx restore`.",
        )


def refuse_foreign_version(db: sqlite3.Connection) -> None:
    """SchemaNewerError or SchemaOlderError unless the database has the program's version; DatabaseCorruptError."""
    refuse_empty(db)
    version = schema_version(db)
    if version > LATEST:
        raise SchemaNewerError(
            f"the database has schema {version}; this program knows up to {LATEST}",
            hint="Use the newer loopx that wrote it.",
            found=version,
            known=LATEST,
        )
    if version < LATEST:
        raise SchemaOlderError(
            f"the database has schema {version}; this program needs {LATEST}, and reads never migrate",
            hint="Run `loopx doctor --fix`; it backs up first.",
            found=version,
            known=LATEST,
        )


def migrate(db: sqlite3.Connection) -> bool:
    """Bring an empty or older database to `LATEST`; whether anything was done.

    The caller holds the write lock. SchemaNewerError where the database is ahead of the program.
    """
    version = schema_version(db)
    if version > LATEST:
        refuse_foreign_version(db)
    with _tables_may_move(db):
        for number in range(version + 1, LATEST + 1):
            _apply(db, number)
    return version < LATEST


@contextmanager
def _tables_may_move(db: sqlite3.Connection) -> Iterator[None]:
    """A table that others refer to can be made anew only while nothing is enforced, which no transaction can change."""
    (enforced,) = db.execute("PRAGMA foreign_keys").fetchone()
    db.execute("PRAGMA foreign_keys = OFF")
    try:
        yield
    finally:
        db.execute(f"PRAGMA foreign_keys = {enforced}")


def _apply(db: sqlite3.Connection, number: int) -> None:
    db.execute("BEGIN IMMEDIATE")
    try:
        if schema_version(db) < number:  # another process may have been first
            for statement in statements(_script(number)):
                db.execute(statement)
            _refuse_loose_ends(db)
            db.execute(f"PRAGMA user_version = {number}")
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:  # a full disk has ended it already
            db.execute("ROLLBACK")
        raise


def _refuse_loose_ends(db: sqlite3.Connection) -> None:
    """DatabaseCorruptError where a row refers to one that is not there: a foreign hand has removed that one."""
    loose = db.execute("PRAGMA foreign_key_check").fetchone()
    if loose is not None:
        raise DatabaseCorruptError(
            f"a row of {loose[0]} refers to a row of {loose[2]} that is not there; the schema stays as it is",
            hint="Bring a backup back with `loopx restore`.",
        )


def _script(number: int) -> str:
    (name,) = (name for name in os.listdir(_FOLDER) if name.startswith(f"{number:04}_"))
    with open(os.path.join(_FOLDER, name), encoding="utf-8") as file:
        return file.read()


def statements(script: str) -> Iterator[str]:
    """The statements of a script, one by one (`executescript` would commit behind our back)."""
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""
