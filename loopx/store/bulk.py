"""Many new todos at once: what `Transaction.insert` does for each, with a statement for all alike.

What SQLite asks of each row by itself costs more than storing it. Where todos are many, it is asked once of
those that are alike, and what they have each for themselves is verified here.
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from loopx.contracts.record import record_of
from loopx.core.todo import Closure, Todo
from loopx.core.value import Value
from loopx.store import derived
from loopx.store.connection import is_embedded
from loopx.store.replay import TODOS
from loopx.store.todo_row import COLUMNS, SqlValue, sql_value
from loopx.store.todos import marks
from loopx.store.transaction import KEY_AND_TIME, changed_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from loopx.core.instant import Instant
    from loopx.store.connection import Connection
    from loopx.store.transaction import Transaction

_CHUNK = 5_000  # todos between two reports of progress
_MANY = 1_000  # todos from which on it pays to ask of them together
_CACHE_KIB = 65_536  # ids are random, so that every row lands on another page of every index
# In what new todos of one call differ; the columns of these come first in every row.
_OWN = (
    "todo_id", "sequence", "priority", "text", "acceptance", "evidence", "completion_rationale",
    "created_at", "updated_at", "closed_at",
)  # fmt: skip
_SELDOM = ("priority", "acceptance", "evidence", "completion_rationale", "closed_at", "blocked_by", "successors")
_APART = frozenset((*_OWN, *_SELDOM, "predecessors", "unmet", "broken"))  # fields of a todo that make it no other kind
_common = itemgetter(*(place for place, name in enumerate(Todo._fields) if name not in _APART))
_LEAST_URGENT = 4
_DERIVED = ("unmet", "broken", "followed")
_LAST = "SELECT seq FROM sqlite_sequence WHERE name = 'todos'"
_TRIGGER = "todos_inserted"  # keeps `todo_ids` and refuses an archived id, row by row
_CLASH = "SELECT 1 FROM todos JOIN archived_todos USING (todo_id) LIMIT 1"
_CLOSURES = "SELECT todo_id, closure FROM {} WHERE todo_id IN ({})"
_AT_ONCE = 500  # ids of one question, well below SQLite's limit of bound values


def insert_all(tx: Transaction, todos: Sequence[Todo], *, progress: Callable[[int, int], None] | None = None) -> None:
    """Store new todos in this order. They may name one another and what is there already.

    The history gets the same entries as from one `insert` after the other; an `updated_at` that is not now
    is kept and told. `progress` is told how many are stored, of how many.
    """
    if not todos:
        return
    batch = _Batch(tx, todos)
    with _asked_together(tx.db, todos):
        for start in range(0, len(todos), _CHUNK):
            batch.insert(todos[start : start + _CHUNK])
            if progress is not None:
                progress(min(start + _CHUNK, len(todos)), len(todos))
    _insert_edges(tx, todos)
    batch.settle(todos)


@contextmanager
def _asked_together(db: Connection, todos: Sequence[Todo]) -> Iterator[None]:
    """The ids are known before the rows that name them come; for many todos no trigger runs for each."""
    db.executemany(
        "INSERT INTO todo_ids VALUES (?) ON CONFLICT DO NOTHING", sorted([(todo.todo_id,) for todo in todos])
    )
    if len(todos) < _MANY or not is_embedded(db):
        yield
        return
    db.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    (script,) = db.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (_TRIGGER,)).fetchone()
    db.execute(f"DROP TRIGGER {_TRIGGER}")
    yield
    db.execute(script)
    if db.execute(_CLASH).fetchone() is not None:
        raise AssertionError("a new todo has the id of an archived one")


@contextmanager
def _unchecked(db: Connection) -> Iterator[None]:
    """Rows of which everything was asked before are not asked again; a server asks of each."""
    if not is_embedded(db):
        yield
        return
    db.execute("PRAGMA ignore_check_constraints = ON")
    try:
        yield
    finally:
        db.execute("PRAGMA ignore_check_constraints = OFF")


class _Alike(Value):
    """What todos have in common: the columns of it with their values, and what the history says of them."""

    names: tuple[str, ...]
    values: tuple[SqlValue, ...]
    news: dict[str, Any]

    @classmethod
    def of(cls, todo: Todo, route_id: int) -> _Alike:
        """From one of them; the columns' defaults are what is empty."""
        record = record_of(todo)
        own = frozenset((*_OWN, *KEY_AND_TIME, "blocked_by", "successors"))
        news = changed_columns({}, record, tuple(own))
        names = tuple(name for name in COLUMNS if name in news)
        return cls((*names, "route_id"), (*(sql_value(record[name]) for name in names), route_id), news)


class _Batch:
    """The todos of one call on their way into the tables."""

    def __init__(self, tx: Transaction, todos: Sequence[Todo]) -> None:
        self.tx = tx
        self.routes = {route: tx.route_id(route) for route in {todo.route for todo in todos}}
        self._closures = _closures(tx.db, todos)
        self._alike: dict[tuple[Any, ...], _Alike] = {}
        self._sequence = _next_sequence(tx)
        self._counts: Counter[tuple[int, derived.RouteCounts]] = Counter()

    def insert(self, todos: Sequence[Todo]) -> None:
        """Store the rows of the next todos; the first of those that are alike is checked by the database."""
        first: dict[tuple[str, ...], list[tuple[SqlValue, ...]]] = {}
        others: dict[tuple[str, ...], list[tuple[SqlValue, ...]]] = {}
        for todo in todos:
            key = _common(todo)
            alike = self._alike.get(key)
            rows = others
            if alike is None:
                alike = self._alike[key] = _Alike.of(todo, self.routes[todo.route])
                rows = first
            rows.setdefault(alike.names, []).append(self._row(todo, alike))
        self._store(first)
        with _unchecked(self.tx.db):
            self._store(others)

    def settle(self, todos: Sequence[Todo]) -> None:
        """What follows from the facts, once all of them are there."""
        for todo in todos:
            if todo.resume is not None and todo.closure is None:
                self.tx.refresh(todo)
        shifts = derived.Shifts()
        for (route_id, counts), number in self._counts.items():
            opened, ready, blocked, deferred = (count * number for count in counts)
            shifts.add(route_id, (opened, ready, blocked, deferred))
        shifts.store(self.tx.db)

    def _row(self, todo: Todo, alike: _Alike) -> tuple[SqlValue, ...]:
        """The values of a todo's row; its news and its place in the counts are noted on the way."""
        _refuse_unstorable(todo)
        sequence, self._sequence = self._sequence, self._sequence + 1
        unmet, broken = self._dependency_counts(todo)
        acceptance = sql_value(list(todo.acceptance)) if todo.acceptance else "[]"
        self.tx.changes.setdefault(TODOS, {})[todo.todo_id] = alike.news | _own_news(todo, sequence, self.tx.now)
        counted = todo if unmet == todo.unmet else todo._replace(unmet=unmet)
        self._counts[self.routes[todo.route], derived.counts_of(counted)] += 1
        return (
            todo.todo_id, sequence, todo.priority, todo.text, acceptance, todo.evidence, todo.completion_rationale,
            todo.created_at, todo.updated_at, todo.closed_at, unmet, broken, int(bool(todo.successors)), *alike.values,
        )  # fmt: skip

    def _store(self, rows: dict[tuple[str, ...], list[tuple[SqlValue, ...]]]) -> None:
        for names, values in rows.items():
            columns = (*_OWN, *_DERIVED, *names)
            sql = f"INSERT INTO todos ({', '.join(columns)}) VALUES ({marks(columns)})"
            self.tx.db.executemany(sql, values)

    def _dependency_counts(self, todo: Todo) -> tuple[int, int]:
        if not todo.blocked_by:
            return 0, 0
        closures = [self._closures.get(dependency) for dependency in todo.blocked_by]
        unmet = [closure for closure in closures if not derived.is_met(closure)]
        return len(unmet), sum(closure is not None for closure in unmet)


def _refuse_unstorable(todo: Todo) -> None:
    """What the table would refuse of a todo's own columns; a caller has made them right."""
    if not (0 <= todo.priority <= _LEAST_URGENT and todo.text and (todo.closed_at is None) is (todo.closure is None)):
        raise AssertionError(f"{todo.todo_id} cannot be stored")


def _own_news(todo: Todo, sequence: int, now: Instant) -> dict[str, Any]:
    """What the history says of the columns in which it differs from others; empty ones are left out."""
    own: dict[str, Any] = {
        "sequence": [None, sequence],
        "text": [None, todo.text],
        "created_at": [None, todo.created_at],
    }
    if todo.updated_at != now:
        own["updated_at"] = [None, todo.updated_at]
    for name in _SELDOM:
        value = getattr(todo, name)
        if value:
            own[name] = [None, list(value) if isinstance(value, tuple) else value]
    return own


def _closures(db: Connection, todos: Sequence[Todo]) -> dict[str, Closure | None]:
    """How everything that the todos wait for is closed, themselves included."""
    found = {todo.todo_id: todo.closure for todo in todos}
    others = list({edge for todo in todos for edge in todo.blocked_by} - found.keys())
    for start in range(0, len(others), _AT_ONCE):
        ids = others[start : start + _AT_ONCE]
        for table in ("todos", "archived_todos"):
            rows = db.execute(_CLOSURES.format(table, marks(ids)), ids)
            found |= {todo_id: Closure(closure) if closure else None for todo_id, closure in rows}
    return found


def _insert_edges(tx: Transaction, todos: Sequence[Todo]) -> None:
    for table, pairs in (
        ("edges", _pairs((todo.todo_id, todo.blocked_by) for todo in todos)),
        ("lineage", _pairs((todo.todo_id, todo.successors) for todo in todos)),
    ):
        tx.db.executemany(f"INSERT INTO {table} VALUES (?,?,?)", pairs)


def _pairs(lists: Iterator[tuple[str, tuple[str, ...]]]) -> Iterator[tuple[str, str, int]]:
    return ((todo_id, other, at) for todo_id, others in lists for at, other in enumerate(others))


def _next_sequence(tx: Transaction) -> int:
    row = tx.db.execute(_LAST).fetchone()
    return int(row[0]) + 1 if row else 1
