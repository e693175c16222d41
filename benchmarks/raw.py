"""The smallest possible claim in SQLite: what every budget of throughput is a ratio to."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path

_CLAIM = (
    "UPDATE tasks SET state = 1, owner = 'a' WHERE id = (SELECT id FROM tasks WHERE state = 0 ORDER BY id LIMIT 1)"
    " RETURNING id"
)
_COMPLETE = "UPDATE tasks SET state = 2 WHERE id = ? AND state = 1 RETURNING id"


def raw_seconds(folder: Path, claims: int, *, pairs: bool = False) -> float:
    """The time of one claim, or of a claim and its completion, each a transaction under `synchronous=FULL`."""
    database = folder / "raw.db"
    with closing(sqlite3.connect(database, isolation_level=None)) as db:
        _prepare(db, claims)
        begin = time.perf_counter()
        for _ in range(claims):
            number = _step(db, _CLAIM)
            if pairs:
                _step(db, _COMPLETE, number)
        elapsed = time.perf_counter() - begin
    database.unlink()
    return elapsed / claims


def _prepare(db: sqlite3.Connection, tasks: int) -> None:
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    db.execute("CREATE TABLE tasks (id INTEGER PRIMARY KEY, state INTEGER NOT NULL, owner TEXT)")
    db.execute("CREATE INDEX tasks_free ON tasks (id) WHERE state = 0")
    db.execute("BEGIN")
    db.executemany("INSERT INTO tasks VALUES (?, 0, NULL)", ((number,) for number in range(tasks)))
    db.execute("COMMIT")


def _step(db: sqlite3.Connection, update: str, *values: int) -> int:
    db.execute("BEGIN IMMEDIATE")
    ((number,),) = db.execute(update, values).fetchall()
    db.execute("COMMIT")
    return int(number)
