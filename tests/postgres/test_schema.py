"""Both engines have the same tables: what is added to one and forgotten in the other is found here."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import NamedTuple

import pytest

from loopx.store.migrate import LATEST
from loopx.store.migrate import migrate as migrate_sqlite
from loopx.store.postgres.connection import PostgresConnection, connect
from loopx.store.postgres.schema import install, schema_version

ON_SERVER_ALONE = {"schema_version", "registry_document", "todo_sequence"}
Words = tuple[str, ...]


class Table(NamedTuple):
    """What can be asked of either engine about a table."""

    columns: tuple[tuple[str, bool], ...]  # with whether a value is needed
    key: Words
    unique: frozenset[Words]
    foreign: frozenset[tuple[Words, str, Words]]
    indexes: frozenset[tuple[str, Words, bool]]  # with whether it is a partial one
    checks: int


# A token belongs to one todo. On SQLite triggers see to that beside the shorter key, on PostgreSQL this one does.
TOKEN_KEY = frozenset({("token", "todo_id")})
TOKEN_OF_TODO = (("claim_token", "todo_id"), "claim_tokens", ("token", "todo_id"))


@pytest.fixture
def server(database_url: str) -> Iterator[PostgresConnection]:
    with closing(connect(database_url)) as db:
        assert install(db, state="state_x", registry=b"version: 1\n")
        yield db


@pytest.fixture
def file() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        migrate_sqlite(db)
        yield db


def test_both_engines_have_the_same_tables(server: PostgresConnection, file: sqlite3.Connection) -> None:
    here, there = tables_of_file(file), tables_of_server(server)
    assert here.keys() == there.keys() - ON_SERVER_ALONE
    tokens, todos = there["claim_tokens"], there["todos"]
    there["claim_tokens"] = tokens._replace(unique=tokens.unique - TOKEN_KEY)
    shorter = (("claim_token",), "claim_tokens", ("token",))
    there["todos"] = todos._replace(foreign=todos.foreign - {TOKEN_OF_TODO} | {shorter})
    for name, table in here.items():
        for what, one, other in zip(Table._fields, table, there[name], strict=True):
            assert one == other, f"{what} of {name}"


def test_a_new_schema_is_at_the_newest_version(server: PostgresConnection) -> None:
    assert schema_version(server) == LATEST


def test_a_second_installation_leaves_the_first_one_alone(server: PostgresConnection) -> None:
    assert not install(server, state="state_y", registry=b"")
    (kept,) = server.execute("SELECT value FROM meta WHERE key = 'project_id'").fetchone() or ("",)
    assert kept == "state_x"


# --- asking SQLite -----------------------------------------------------------------------


def tables_of_file(db: sqlite3.Connection) -> dict[str, Table]:
    sql = "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    return {name: _table_of_file(db, name, text) for name, text in db.execute(sql).fetchall()}


def _table_of_file(db: sqlite3.Connection, name: str, text: str) -> Table:
    columns = db.execute('SELECT name, "notnull", pk FROM pragma_table_xinfo(?) ORDER BY cid', (name,)).fetchall()
    indexes = db.execute('SELECT name, "unique", origin, partial FROM pragma_index_list(?)', (name,)).fetchall()
    key = tuple(column for column, _, place in sorted(columns, key=lambda row: row[2]) if place)
    return Table(
        columns=tuple((column, bool(needed or place)) for column, needed, place in columns),
        key=key,
        unique=frozenset(_indexed(db, index) for index, _, origin, _ in indexes if origin == "u"),
        foreign=frozenset(_foreign_keys(db, name)),
        indexes=frozenset(
            (index, _indexed(db, index), bool(part)) for index, _, origin, part in indexes if origin == "c"
        ),
        checks=len(re.findall(r"\bCHECK \(", re.sub(r"--.*", "", text))),
    )


def _indexed(db: sqlite3.Connection, index: str) -> Words:
    return tuple(row[0] for row in db.execute("SELECT name FROM pragma_index_info(?) ORDER BY seqno", (index,)))


def _foreign_keys(db: sqlite3.Connection, name: str) -> Iterator[tuple[Words, str, Words]]:
    sql = 'SELECT id, "table", group_concat("from"), group_concat("to") FROM pragma_foreign_key_list(?) GROUP BY id'
    for _, parent, own, others in db.execute(sql, (name,)).fetchall():
        yield tuple(own.split(",")), parent, tuple(others.split(","))


# --- asking PostgreSQL -------------------------------------------------------------------

_NAMES = (
    "ARRAY(SELECT a.attname::text FROM unnest({keys}) WITH ORDINALITY k (number, place)"
    " JOIN pg_attribute a ON a.attrelid = {table} AND a.attnum = k.number ORDER BY k.place)"
)
_COLUMNS = (
    "SELECT attname::text, attnotnull FROM pg_attribute"
    " WHERE attrelid = ?::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum"
)
_CONSTRAINTS = (
    f"SELECT contype::text, {_NAMES.format(keys='conkey', table='conrelid')}, confrelid::regclass::text,"
    f" {_NAMES.format(keys='confkey', table='confrelid')} FROM pg_constraint c WHERE conrelid = ?::regclass"
)
_INDEXES = (
    f"SELECT indexrelid::regclass::text, {_NAMES.format(keys='indkey', table='indrelid')}, indpred IS NOT NULL"
    " FROM pg_index WHERE indrelid = ?::regclass AND NOT indisunique"
)


def tables_of_server(db: PostgresConnection) -> dict[str, Table]:
    sql = "SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema()"
    return {name: _table_of_server(db, name) for (name,) in db.execute(sql).fetchall()}


def _table_of_server(db: PostgresConnection, name: str) -> Table:
    constraints = db.execute(_CONSTRAINTS, (name,)).fetchall()

    def of_kind(kind: str) -> list[tuple[Words, str, Words]]:
        return [(tuple(own), parent, tuple(others)) for found, own, parent, others in constraints if found == kind]

    return Table(
        columns=tuple(db.execute(_COLUMNS, (name,)).fetchall()),
        key=of_kind("p")[0][0],
        unique=frozenset(own for own, _, _ in of_kind("u")),
        foreign=frozenset(of_kind("f")),
        indexes=frozenset((index, tuple(own), part) for index, own, part in db.execute(_INDEXES, (name,)).fetchall()),
        checks=len(of_kind("c")),
    )
