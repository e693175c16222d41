"""Closed work out of the way: moved as one record, found by id, and brought back by whatever changes it.

An archived todo keeps its id, its dependencies and its lineage. Nothing about the state changes by it, so
the history tells the same todos before and after; only where a todo lies is different.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from loopx import failpoint
from loopx.contracts.record import record_of, todo_of
from loopx.store import derived
from loopx.store.events import canonical
from loopx.store.todo_row import COLUMNS, sql_value
from loopx.store.todos import predecessors_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from loopx.core.instant import Instant
    from loopx.core.todo import Todo
    from loopx.store.connection import Connection
    from loopx.store.transaction import Transaction

TABLE = "archived_todos"

# Why closed work stays where it is: something open still looks at it, or it is itself a question.
_KEPT = (
    "CASE"
    " WHEN t.verdict IS NOT NULL THEN 'gate_answer'"
    " WHEN t.status = 'done' AND t.role = 'agent' AND t.followed = 0 AND t.no_followup = 0"
    "  AND NOT EXISTS (SELECT 1 FROM edges e WHERE e.dependency_id = t.todo_id) THEN 'follow_up_unstated'"
    " WHEN EXISTS (SELECT 1 FROM edges e JOIN todos w ON w.todo_id = e.todo_id"
    "  WHERE e.dependency_id = t.todo_id AND w.closure IS NULL) THEN 'open_work_waits'"
    " WHEN EXISTS (SELECT 1 FROM todos w WHERE w.resume_ref = t.todo_id AND w.resume_kind = 'todo_done'"
    "  AND w.closure IS NULL) THEN 'open_work_waits'"
    " WHEN EXISTS (SELECT 1 FROM todos g WHERE g.unblocks_todo_id = t.todo_id AND g.closure IS NULL)"
    "  THEN 'open_gate_names'"
    " ELSE '' END"
)
_OLD = "t.closure IS NOT NULL AND t.closed_at < :before AND (t.goal_id = :goal OR :goal IS NULL)"
_REASONS = f"SELECT {_KEPT}, count(*) FROM todos t WHERE {_OLD} GROUP BY 1"
_FREE = f"SELECT t.todo_id FROM todos t WHERE {_OLD} AND {_KEPT} = '' ORDER BY t.sequence LIMIT :limit"
_RECORD = f"SELECT record FROM {TABLE} WHERE todo_id = ?"
_RECORDS = f"SELECT record FROM {TABLE} t"
_PUT = f"INSERT INTO {TABLE} (sequence, todo_id, goal_id, archived_at, record) VALUES (?,?,?,?,?)"


def reasons_to_stay(db: Connection, before: Instant, goal_id: str | None) -> dict[str, int]:
    """How much was closed before that instant, by why it stays; under '' what may go."""
    return dict(db.execute(_REASONS, {"before": before, "goal": goal_id}).fetchall())


def free_to_go(db: Connection, before: Instant, goal_id: str | None, limit: int) -> list[str]:
    """The first todos that were closed before that instant and that nothing open looks at, by creation."""
    values = {"before": before, "goal": goal_id, "limit": limit}
    return [row[0] for row in db.execute(_FREE, values).fetchall()]


def archive(tx: Transaction, todo_ids: Sequence[str]) -> None:
    """Move the closed todos out of the hot table; the event says which."""
    for todo_id in todo_ids:
        todo = tx.todo(todo_id)
        tx.db.execute("DELETE FROM todos WHERE todo_id = ?", (todo_id,))
        failpoint.reach("archive: deleted")
        record = canonical(record_of(todo))
        tx.db.execute(_PUT, (todo.sequence, todo_id, todo.goal_id, tx.now, record))
        tx.changes.setdefault("archive", {})[todo_id] = {"archived_at": [None, tx.now]}


def bring_back(tx: Transaction, todo_id: str) -> bool:
    """Move the todo into the hot table again; whether it was archived."""
    row = tx.db.execute(f"DELETE FROM {TABLE} WHERE todo_id = ? RETURNING record", (todo_id,)).fetchone()
    if row is None:
        return False
    todo = todo_of(json.loads(row[0]))
    record = {**record_of(todo), "route_id": tx.route_id(todo.route)}
    names = (*COLUMNS, "route_id")
    marks = ", ".join("?" for _ in names)
    values = [sql_value(record[name]) for name in names]
    tx.db.execute(f"INSERT INTO todos ({', '.join(names)}) VALUES ({marks})", values)
    tx.refresh(todo)
    return True


def find_archived(db: Connection, todo_id: str) -> Todo | None:
    """The archived todo of exactly that id."""
    row = db.execute(_RECORD, (todo_id,)).fetchone()
    return _todo(db, row[0]) if row is not None else None


def archived_at(db: Connection, todo_id: str) -> Instant | None:
    """When the todo was archived; None for one that is not."""
    row = db.execute(f"SELECT archived_at FROM {TABLE} WHERE todo_id = ?", (todo_id,)).fetchone()
    return int(row[0]) if row is not None else None


def archived_todos(db: Connection, where: str, values: Sequence[Any]) -> list[Todo]:
    """The archived todos of a `WHERE … ORDER BY …` text, whole."""
    return [_todo(db, row[0]) for row in db.execute(f"{_RECORDS} {where}", values).fetchall()]


def _todo(db: Connection, text: str) -> Todo:
    record = json.loads(text)
    unmet, broken = derived.dependency_counts(db, record["todo_id"])
    return todo_of(record, unmet=unmet, broken=broken, predecessors=predecessors_of(db, record["todo_id"]))
