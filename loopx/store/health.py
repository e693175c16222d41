"""Questions about the soundness of the tables that only `doctor` asks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.store.connection import is_embedded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from loopx.store.connection import Connection

_MOST_PAGES = 100  # SQLite's own limit of complaints
_SEQUENCES = "SELECT sequence FROM todos UNION ALL SELECT sequence FROM archived_todos ORDER BY sequence"
_GIVEN = "SELECT seq FROM sqlite_sequence WHERE name = 'todos'"
_KEYS = "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk"


def damaged_pages(db: Connection) -> list[str]:
    """What SQLite says is wrong with its pages, indexes and constraints; a server looks after its own."""
    if not is_embedded(db):
        return []
    words = [str(row[0]) for row in db.execute(f"PRAGMA integrity_check({_MOST_PAGES})")]
    return [] if words == ["ok"] else words


def broken_references(db: Connection) -> Iterator[tuple[str, str, str]]:
    """Table, key and parent table of every row whose foreign key leads nowhere; on a server none can."""
    if not is_embedded(db):
        return
    for table, rowid, parent, _ in db.execute("PRAGMA foreign_key_check").fetchall():
        yield str(table), _key(db, table, rowid), str(parent)


def missing_sequences(db: Connection) -> Iterator[tuple[int, int]]:
    """First and last of each run of todo numbers that were given and that no row has."""
    expected = 1
    for (sequence,) in db.execute(_SEQUENCES):
        if sequence > expected:
            yield expected, sequence - 1
        expected = sequence + 1
    row = db.execute(_GIVEN).fetchone()
    if row is not None and row[0] >= expected:
        yield expected, row[0]


def ask(db: Connection, statement: str, values: Sequence[object] | dict[str, Any] = ()) -> list[tuple[Any, ...]]:
    """The rows of a constant statement."""
    return db.execute(statement, values).fetchall()


def _key(db: Connection, table: str, rowid: int | None) -> str:
    """The row's primary key in words; a table without row numbers does not say which row it is."""
    names = [row[0] for row in db.execute(_KEYS, (table,))]
    if rowid is None or not names:
        return "(some row)"
    row = db.execute(f'SELECT {", ".join(names)} FROM "{table}" WHERE rowid = ?', (rowid,)).fetchone()
    return " ".join(str(value) for value in row)
