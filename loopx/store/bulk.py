"""Many new todos at once: what `Transaction.insert` does for each, with a statement for all alike."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING

from loopx.contracts.record import record_of
from loopx.store import derived
from loopx.store.replay import TODOS
from loopx.store.todo_row import COLUMNS, SqlValue, sql_value
from loopx.store.transaction import KEY_AND_TIME, changed_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from loopx.core.todo import Todo
    from loopx.store.transaction import Transaction

_CHUNK = 5_000  # todos between two reports of progress
_ALWAYS = ("todo_id", "priority", "created_at", "updated_at", "route_id")  # written even where they are empty
_LAST = "SELECT seq FROM sqlite_sequence WHERE name = 'todos'"

Progress = "Callable[[int, int], None]"  # how many are done, of how many


def insert_all(tx: Transaction, todos: Sequence[Todo], *, progress: Callable[[int, int], None] | None = None) -> None:
    """Store new todos in this order. They may wait for one another and for what is there already.

    The history gets the same entries as from one `insert` after the other.
    """
    first = _next_sequence(tx)
    coming, done = iter(todos), 0
    while chunk := list(islice(coming, _CHUNK)):
        _insert_rows(tx, chunk, first + done)
        done += len(chunk)
        if progress is not None:
            progress(done, len(todos))
    _insert_edges(tx, todos)
    _count(tx, todos)


def _next_sequence(tx: Transaction) -> int:
    row = tx.db.execute(_LAST).fetchone()
    return int(row[0]) + 1 if row else 1


def _insert_rows(tx: Transaction, todos: Sequence[Todo], first: int) -> None:
    """Rows that fill the same columns share a statement; the columns' defaults are what is empty."""
    rows: dict[tuple[str, ...], list[list[SqlValue]]] = {}
    noted = tx.changes.setdefault(TODOS, {})
    for sequence, todo in enumerate(todos, first):
        record = record_of(todo)
        record["sequence"], record["route_id"] = sequence, tx.route_id(todo.route)
        news = changed_columns({}, record, KEY_AND_TIME)
        del news["route_id"]
        noted[todo.todo_id] = news
        names = (*_ALWAYS, *(name for name in COLUMNS if name in news and name not in _ALWAYS))
        rows.setdefault(names, []).append([sql_value(record[name]) for name in names])
    for names, values in rows.items():
        marks = ", ".join("?" for _ in names)
        tx.db.executemany(f"INSERT INTO todos ({', '.join(names)}) VALUES ({marks})", values)


def _insert_edges(tx: Transaction, todos: Sequence[Todo]) -> None:
    for statement, pairs in (
        ("INSERT INTO edges VALUES (?,?,?)", _pairs((todo.todo_id, todo.blocked_by) for todo in todos)),
        ("INSERT INTO lineage VALUES (?,?,?)", _pairs((todo.todo_id, todo.successors) for todo in todos)),
    ):
        tx.db.executemany(statement, pairs)


def _pairs(lists: Iterator[tuple[str, tuple[str, ...]]]) -> Iterator[tuple[str, str, int]]:
    return ((todo_id, other, at) for todo_id, others in lists for at, other in enumerate(others))


def _count(tx: Transaction, todos: Sequence[Todo]) -> None:
    """What follows from the facts, once all of them are there."""
    counts: dict[int, Counter[int]] = {}
    for todo in todos:
        follows = todo.blocked_by or todo.successors or todo.resume
        stored = tx.refresh(todo) if follows else todo
        counts.setdefault(tx.route_id(todo.route), Counter()).update(dict(enumerate(derived.counts_of(stored))))
    for route_id, count in counts.items():
        derived.shift_counts(tx.db, route_id, (count[0], count[1], count[2], count[3]))
