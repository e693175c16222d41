"""The schema on PostgreSQL: its version, and how it comes there, under a lock of its own (S1.3)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from loopx.core.errors import ProjectNotFoundError, SchemaNewerError, SchemaOlderError
from loopx.store.migrate import LATEST

if TYPE_CHECKING:
    from loopx.store.postgres.connection import PostgresConnection

BASELINE = 5  # what the first of our scripts makes; it is at SQLite's version of that number
_FOLDER = os.path.join(os.path.dirname(__file__), "migrations")
_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('loopx migrations of ' || current_schema(), 0))"
_IS_THERE = "SELECT to_regclass(quote_ident(current_schema()) || '.schema_version') IS NOT NULL"


def schema_version(db: PostgresConnection) -> int:
    """The version that the schema says it has; 0 where there is none."""
    if not db.execute(_IS_THERE).fetchone()[0]:
        return 0
    return int(db.execute("SELECT version FROM schema_version").fetchone()[0])


def refuse_foreign_version(db: PostgresConnection) -> None:
    """ProjectNotFoundError for a schema without a project; SchemaNewerError, SchemaOlderError."""
    version = schema_version(db)
    if version == 0:
        raise ProjectNotFoundError(
            "the database that LOOPX_DATABASE_URL names holds no project",
            hint="Start one there with `loopx init`, or move one with `loopx store migrate`.",
        )
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
            hint="Run `loopx doctor --fix` once nothing older writes there.",
            found=version,
            known=LATEST,
        )


def migrate(db: PostgresConnection) -> bool:
    """Bring an empty or older schema to `LATEST`, all in one transaction; whether anything was done.

    Several callers at once wait for one another: one migrates, the others find it done.
    """
    db.execute("BEGIN")
    try:
        db.execute(_LOCK)
        version = schema_version(db)
        for number in range(max(version + 1, BASELINE), LATEST + 1):
            db.run_script(_script(number))
        db.execute("UPDATE schema_version SET version = ?", (max(version, LATEST),))
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    return version < LATEST


def _script(number: int) -> str:
    (name,) = (name for name in os.listdir(_FOLDER) if name.startswith(f"{number:04}_"))
    with open(os.path.join(_FOLDER, name), encoding="utf-8") as file:
        return file.read()
