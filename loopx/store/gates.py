"""The gates of a goal that a decision reads: the open ones, and the newest answer of each scope."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.store.todos import bare_todos

if TYPE_CHECKING:
    from loopx.core.todo import Todo
    from loopx.store.connection import Connection


def has_gates(db: Connection, goal_id: str) -> bool:
    """Whether the goal has, or had, any gate at all."""
    sql = "SELECT EXISTS (SELECT 1 FROM routes WHERE goal_id = ? AND task_class = 'user_gate')"
    return bool(db.execute(sql, (goal_id,)).fetchone()[0])


def read_gates(db: Connection, goal_id: str) -> tuple[Todo, ...]:
    """Open gates, the newest answer of each scope, and of each todo to which a gate once said no."""
    if not has_gates(db, goal_id):
        return ()
    opened = bare_todos(
        db,
        "WHERE t.goal_id = ? AND t.task_class = 'user_gate' AND t.closure IS NULL ORDER BY t.priority, t.sequence",
        (goal_id,),
    )
    of_scope = _newest("decision_scope", "decision_scope IS NOT NULL")
    of_link = _newest("unblocks_todo_id", f"unblocks_todo_id IN ({_REFUSED_LINKS})")
    answered = f"WHERE t.sequence IN ({of_scope} UNION {of_link})"
    return (*opened, *bare_todos(db, answered, (goal_id, goal_id, goal_id)))


_REFUSED_LINKS = (
    "SELECT g.unblocks_todo_id FROM todos g JOIN todos u ON u.todo_id = g.unblocks_todo_id"
    " WHERE g.goal_id = ? AND g.task_class = 'user_gate' AND g.verdict = 'reject' AND u.closure IS NULL"
)


def _newest(key: str, condition: str) -> str:
    """The sequences of the goal's newest answers, one for each value of the key."""
    return (
        f"SELECT sequence FROM (SELECT sequence, row_number() OVER"
        f" (PARTITION BY {key} ORDER BY decided_at DESC, sequence DESC) AS place FROM todos"
        f" WHERE goal_id = ? AND task_class = 'user_gate' AND verdict IS NOT NULL AND {condition})"
        " AS ranked WHERE place = 1"
    )
