"""Many new todos at once: what `Transaction.insert` does for each, with a statement for all alike."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from loopx.contracts.record import record_of
from loopx.core.value import Value
from loopx.store import derived
from loopx.store.replay import TODOS
from loopx.store.todo_row import COLUMNS, SqlValue, sql_value
from loopx.store.transaction import KEY_AND_TIME, changed_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from loopx.core.todo import Route, Todo
    from loopx.store.transaction import Transaction

_CHUNK = 5_000  # todos between two reports of progress
_CACHE_KIB = 65_536  # ids are random, so that every row lands on another page of every index
_OWN = ("todo_id", "sequence", "priority", "text")  # in what new todos of one call differ, beside their edges
_ALWAYS = ("created_at", "updated_at")  # written even where they are zero
_LAST = "SELECT seq FROM sqlite_sequence WHERE name = 'todos'"


def insert_all(tx: Transaction, todos: Sequence[Todo], *, progress: Callable[[int, int], None] | None = None) -> None:
    """Store new todos in this order. They may wait for one another and for what is there already.

    The history gets the same entries as from one `insert` after the other. `progress` is told how many
    are stored, of how many.
    """
    if len(todos) > _CHUNK:
        tx.db.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    first = _next_sequence(tx)
    routes = {route: tx.route_id(route) for route in {todo.route for todo in todos}}
    coming, done = iter(todos), 0
    while chunk := list(islice(coming, _CHUNK)):
        _insert_rows(tx, chunk, first + done, routes)
        done += len(chunk)
        if progress is not None:
            progress(done, len(todos))
    _insert_edges(tx, todos)
    _count(tx, todos, routes)


def _next_sequence(tx: Transaction) -> int:
    row = tx.db.execute(_LAST).fetchone()
    return int(row[0]) + 1 if row else 1


class _Alike(Value):
    """What todos have in common that differ in `_OWN` alone: columns with their values, and their news."""

    names: tuple[str, ...]
    values: tuple[SqlValue, ...]
    news: dict[str, Any]

    @classmethod
    def of(cls, bare: Todo, route_id: int) -> _Alike:
        """From one of them without what is its own; the columns' defaults are what is empty."""
        record = record_of(bare)
        news = changed_columns({}, record, KEY_AND_TIME)
        names = tuple(name for name in COLUMNS if (name in news or name in _ALWAYS) and name not in _OWN)
        values = tuple(sql_value(record[name]) for name in names)
        return cls((*_OWN, *names, "route_id"), (*values, route_id), news)


def _insert_rows(tx: Transaction, todos: Sequence[Todo], first: int, routes: dict[Route, int]) -> None:
    alike: dict[Todo, _Alike] = {}
    rows: dict[Todo, list[tuple[SqlValue, ...]]] = {}
    noted = tx.changes.setdefault(TODOS, {})
    for sequence, todo in enumerate(todos, first):
        bare = todo._replace(todo_id="", sequence=0, priority=0, text="", blocked_by=())
        if bare not in alike:
            alike[bare], rows[bare] = _Alike.of(bare, routes[todo.route]), []
        rows[bare].append((todo.todo_id, sequence, todo.priority, todo.text, *alike[bare].values))
        noted[todo.todo_id] = {**alike[bare].news, **_own_news(todo, sequence)}
    for bare, values in rows.items():
        names = alike[bare].names
        marks = ", ".join("?" for _ in names)
        tx.db.executemany(f"INSERT INTO todos ({', '.join(names)}) VALUES ({marks})", values)


def _own_news(todo: Todo, sequence: int) -> dict[str, Any]:
    own = {"sequence": sequence, "priority": todo.priority, "text": todo.text, "blocked_by": list(todo.blocked_by)}
    return changed_columns({}, own)


def _insert_edges(tx: Transaction, todos: Sequence[Todo]) -> None:
    for statement, pairs in (
        ("INSERT INTO edges VALUES (?,?,?)", _pairs((todo.todo_id, todo.blocked_by) for todo in todos)),
        ("INSERT INTO lineage VALUES (?,?,?)", _pairs((todo.todo_id, todo.successors) for todo in todos)),
    ):
        tx.db.executemany(statement, pairs)


def _pairs(lists: Iterator[tuple[str, tuple[str, ...]]]) -> Iterator[tuple[str, str, int]]:
    return ((todo_id, other, at) for todo_id, others in lists for at, other in enumerate(others))


def _has_derived(tx: Transaction, todo: Todo) -> bool:
    """Whether anything follows from its facts but what a new row holds anyway."""
    if todo.successors or todo.resume:
        return True
    return bool(todo.blocked_by) and derived.dependency_counts(tx.db, todo.todo_id) != (0, 0)


def _count(tx: Transaction, todos: Sequence[Todo], routes: dict[Route, int]) -> None:
    """What follows from the facts, once all of them are there."""
    shifts = derived.Shifts()
    for todo in todos:
        stored = tx.refresh(todo) if _has_derived(tx, todo) else todo
        shifts.add(routes[todo.route], derived.counts_of(stored))
    shifts.store(tx.db)
