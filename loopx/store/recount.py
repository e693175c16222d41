"""Every kept value, computed anew from the tables: what `doctor` compares and what a foreign edit needs.

The rules are those of `derived.py`; here they are only asked for all todos at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.value import Value
from loopx.store import derived
from loopx.store.todo_row import FROM, SELECT, todo_of_row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from loopx.core.todo import Todo
    from loopx.store.connection import Connection

TODO_VALUES = ("unmet", "broken", "resume_met", "followed")
ROUTE_VALUES = ("open_count", "ready_count", "blocked_count", "deferred_count")
_TODOS = f"{SELECT}, t.route_id, {', '.join(f't.{name}' for name in TODO_VALUES)} {FROM} ORDER BY t.sequence"
_ROUTES = f"SELECT route_id, {', '.join(ROUTE_VALUES)} FROM routes ORDER BY route_id"
_EXTRA = 1 + len(TODO_VALUES)
_NOTHING = (0, 0, 0, 0)
_SET_TODO = f"UPDATE todos SET {', '.join(f'{name} = ?' for name in TODO_VALUES)} WHERE todo_id = ?"
_SET_ROUTE = f"UPDATE routes SET {', '.join(f'{name} = ?' for name in ROUTE_VALUES)} WHERE route_id = ?"

Four = tuple[int, int, int, int]


class Row(Value):
    """The kept values of a todo or of a group, and what they must be."""

    key: str | int  # a todo's id or a group's number
    kept: Four
    true: Four


class Miscount(Value):
    """A kept value that does not follow from the tables."""

    table: str
    key: str | int
    column: str
    kept: int
    true: int


def miscounts(db: Connection) -> list[Miscount]:
    """Every kept value that is wrong; empty on a sound database."""
    todos, routes = _recounted(db)
    return [*_compared("todos", TODO_VALUES, todos), *_compared("routes", ROUTE_VALUES, routes)]


def recount(db: Connection) -> None:
    """Set every kept value right, inside the caller's transaction."""
    for statement, rows in zip((_SET_TODO, _SET_ROUTE), _recounted(db), strict=True):
        db.executemany(statement, [(*row.true, row.key) for row in rows if row.kept != row.true])


def _recounted(db: Connection) -> tuple[list[Row], list[Row]]:
    todos: list[Row] = []
    counts: dict[int, derived.RouteCounts] = {}
    for row in db.execute(_TODOS).fetchall():
        todo = todo_of_row(row[:-_EXTRA])
        route_id, *kept = row[-_EXTRA:]
        true = _true_values(db, todo)
        todos.append(Row(todo.todo_id, tuple(kept), true))
        counts[route_id] = _sum(counts.get(route_id, _NOTHING), derived.counts_of(todo._replace(unmet=true[0])))
    routes = [Row(row[0], row[1:], counts.get(row[0], _NOTHING)) for row in db.execute(_ROUTES).fetchall()]
    return todos, routes


def _true_values(db: Connection, todo: Todo) -> Four:
    unmet, broken = derived.dependency_counts(db, todo.todo_id)
    met = derived.condition_state(db, todo.resume) if todo.closure is None else 0
    return unmet, broken, met, derived.is_followed(db, todo.todo_id)


def _sum(one: Four, other: Four) -> Four:
    return one[0] + other[0], one[1] + other[1], one[2] + other[2], one[3] + other[3]


def _compared(table: str, columns: tuple[str, ...], rows: list[Row]) -> Iterator[Miscount]:
    for row in rows:
        for column, kept, true in zip(columns, row.kept, row.true, strict=True):
            if kept != true:
                yield Miscount(table, row.key, column, kept, true)
