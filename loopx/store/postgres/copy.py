"""Moving a project's tables from its file to a server: every row as it is, and the proof that it is (S1.1)."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from loopx.core.value import Value
from loopx.store.events import canonical

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator, Sequence

    from loopx.store.connection import Connection, Row
    from loopx.store.postgres.connection import PostgresConnection

    Progress = Callable[[str], None]

_TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
_COLUMNS = "SELECT name, pk FROM pragma_table_xinfo(?) WHERE hidden = 0 ORDER BY cid"
_OWN = ("graph_guard", "meta")  # made on the server together with the tables
_LAST = "SELECT seq FROM sqlite_sequence WHERE name = 'todos'"


class Table(Value):
    """A table with the columns that are stored, and those of its key."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]


class Copied(Value):
    """How many rows a table has, and the digest over all of them."""

    table: str
    rows: int
    digest: str


def tables_of(source: sqlite3.Connection) -> list[Table]:
    """The tables of the file, each after those that its rows name."""
    found = {name: _table(source, name) for (name,) in source.execute(_TABLES)}
    ordered: dict[str, Table] = {}
    while len(ordered) < len(found):
        for name, table in found.items():
            if name not in ordered and _parents(source, name) - {name} <= ordered.keys():
                ordered[name] = table
    return [table for table in ordered.values() if table.name not in _OWN]


def copy_rows(source: sqlite3.Connection, target: PostgresConnection, tables: Sequence[Table], tell: Progress) -> None:
    """Send every row; the caller holds both ends in a transaction, and nobody else writes to the file."""
    for table in tables:
        tell(table.name)
        names = ", ".join(table.columns)
        copying = f"COPY {table.name} ({names}) FROM STDIN"
        target.run_script(f"ALTER TABLE {table.name} DISABLE TRIGGER USER")  # what they would keep is copied too
        with target.session.cursor() as cursor, cursor.copy(copying) as copy:
            for row in source.execute(f"SELECT {names} FROM {table.name}"):
                copy.write_row(row)
        target.run_script(f"ALTER TABLE {table.name} ENABLE TRIGGER USER")
    (last,) = source.execute(_LAST).fetchone() or (0,)
    target.execute("UPDATE todo_sequence SET last = ?", (last,))
    target.run_script("SELECT setval(pg_get_serial_sequence('routes', 'route_id'), (SELECT max(route_id) FROM routes))")
    target.execute("UPDATE graph_guard SET checked = edited")


def measured(db: Connection, tables: Sequence[Table]) -> list[Copied]:
    """The same figures from either end, where the rows are the same."""
    return [_measured(table, db) for table in tables]


def _measured(table: Table, db: Connection) -> Copied:
    digest, rows = sha256(), 0
    for row in _in_order(table, db):
        digest.update(canonical(list(row)).encode("utf-8", "surrogatepass"))
        rows += 1
    return Copied(table.name, rows, digest.hexdigest())


def _in_order(table: Table, db: Connection) -> Iterator[Row]:
    order = ", ".join(table.key)
    yield from db.execute(f"SELECT {', '.join(table.columns)} FROM {table.name} ORDER BY {order}")


def _table(source: sqlite3.Connection, name: str) -> Table:
    columns = source.execute(_COLUMNS, (name,)).fetchall()
    key = sorted((place, column) for column, place in columns if place)
    return Table(name, tuple(column for column, _ in columns), tuple(column for _, column in key))


def _parents(source: sqlite3.Connection, name: str) -> set[str]:
    return {row[0] for row in source.execute('SELECT "table" FROM pragma_foreign_key_list(?)', (name,))}
