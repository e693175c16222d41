"""The schema on PostgreSQL: its version, and how it comes there, under a lock of its own (S1.3)."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from loopx.core.errors import ProjectNotFoundError, SchemaNewerError, SchemaOlderError
from loopx.store.migrate import LATEST
from loopx.store.registry_document import store_registry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from loopx.store.postgres.connection import PostgresConnection

BASELINE = 5  # what the first of our scripts makes; it is at SQLite's version of that number
_FOLDER = os.path.join(os.path.dirname(__file__), "migrations")
_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('loopx migrations of ' || current_setting('search_path'), 0))"
_IS_THERE = "SELECT to_regclass(quote_ident(current_schema()) || '.schema_version') IS NOT NULL"
_LACKING = "SELECT (parse_ident(split_part(current_setting('search_path'), ',', 1)))[1] WHERE current_schema() IS NULL"


def schema_version(db: PostgresConnection) -> int:
    """The version that the schema says it has; 0 where there is none."""
    if db.execute(_IS_THERE).fetchone() != (True,):
        return 0
    (version,) = db.execute("SELECT version FROM schema_version").fetchone() or (0,)
    return int(version)


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


def install(db: PostgresConnection, *, state: str, registry: bytes) -> bool:
    """`found` in a transaction of its own."""
    with _alone(db):
        return found(db, state=state, registry=registry)


def found(db: PostgresConnection, *, state: str, registry: bytes) -> bool:
    """Make the tables of a new project, with its id and registry; false where a project is there already.

    Inside the caller's transaction. Several callers at once wait for one another: one makes it, the others find it
    made. A schema that the address names and that is not there yet is made as well.
    """
    db.execute(_LOCK)
    if schema_version(db):
        return False
    _make_schema(db)
    _apply(db, 0)
    db.execute("INSERT INTO meta VALUES ('project_id', ?)", (state,))
    store_registry(db, registry)
    return True


def migrate(db: PostgresConnection) -> bool:
    """Bring an older schema to `LATEST`, all in one transaction; whether anything was done. SchemaNewerError."""
    with _alone(db):
        version = schema_version(db)
        if version > LATEST:
            refuse_foreign_version(db)
        _apply(db, version)
    return version < LATEST


@contextmanager
def _alone(db: PostgresConnection) -> Iterator[None]:
    """A transaction in which nobody else makes or migrates this schema."""
    db.execute("BEGIN")
    try:
        db.execute(_LOCK)
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.is_usable and db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _make_schema(db: PostgresConnection) -> None:
    """Make the schema that the address names, where there is none to make tables in."""
    for (name,) in db.execute(_LACKING).fetchall():
        (statement,) = db.execute("SELECT format('CREATE SCHEMA %I', CAST(? AS TEXT))", (name,)).fetchone() or ("",)
        db.run_script(statement)


def _apply(db: PostgresConnection, version: int) -> None:
    for number in range(max(version + 1, BASELINE), LATEST + 1):
        db.run_script(_script(number))
        db.execute("UPDATE schema_version SET version = ?", (number,))


def _script(number: int) -> str:
    (name,) = (name for name in os.listdir(_FOLDER) if name.startswith(f"{number:04}_"))
    with open(os.path.join(_FOLDER, name), encoding="utf-8") as file:
        return file.read()
