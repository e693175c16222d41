"""Everything that an export holds, in whole tables: one query each, whatever the size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.contracts.export_small import table_of
from loopx.store.archive import archived_todos
from loopx.store.replay import KEYS
from loopx.store.todos import select_todos
from loopx.store.transaction import changed_columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from loopx.core.todo import Todo
    from loopx.store.connection import Connection
    from loopx.store.transaction import Transaction

_OF_GOAL = {  # what a goal's rows of a small table are found by
    "fact": "1",
    "met": "goal_id = :goal",
    "origin": "goal_id = :goal",
    "foreign": "todo_id IN (SELECT todo_id FROM todos WHERE goal_id = :goal"
    " UNION SELECT todo_id FROM archived_todos WHERE goal_id = :goal)",
}


def all_todos(db: Connection, goal_id: str | None) -> list[Todo]:
    """The todos of the goal, or of all, archived ones among them."""
    where, values = ("", ()) if goal_id is None else ("WHERE t.goal_id = ?", (goal_id,))
    return select_todos(db, where, values) + archived_todos(db, where, values)


def small_rows(db: Connection, kind: str, goal_id: str | None) -> Iterator[dict[str, Any]]:
    """The rows that are exported as records of that kind."""
    where = "" if goal_id is None else f" WHERE {_OF_GOAL[kind]}"
    cursor = db.execute(f"SELECT * FROM {table_of(kind)}{where}", {"goal": goal_id})
    names = [column[0] for column in cursor.description]
    return (dict(zip(names, row, strict=True)) for row in cursor)


def add_missing(tx: Transaction, kind: str, rows: Iterable[Mapping[str, Any]]) -> int:
    """Store the rows whose key is not there yet, noted in the event; how many these were."""
    table = table_of(kind)
    key = KEYS[table]
    here = {tuple(row[name] for name in key) for row in small_rows(tx.db, kind, None)}
    new = [row for row in rows if tuple(row[name] for name in key) not in here]
    if not new:
        return 0
    names = list(new[0])
    marks = ", ".join("?" for _ in names)
    tx.db.executemany(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})", [[*row.values()] for row in new])
    noted = tx.changes.setdefault(table, {})
    for row in new:
        noted[" ".join(str(row[name]) for name in key)] = changed_columns({}, row)
    return len(new)
