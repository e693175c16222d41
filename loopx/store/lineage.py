"""What a todo came out of, what it replaced and what replaced it (W10), archived todos included."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.lineage import CHAIN_LIMIT, Lineage
from loopx.store.todos import find_todo

if TYPE_CHECKING:
    from loopx.core.todo import Todo
    from loopx.store.connection import Connection

# Nearest first; a todo that is reached twice counts where it is nearest.
_ABOVE = (
    "WITH RECURSIVE above (id, depth) AS ("
    "SELECT todo_id, 1 FROM lineage WHERE successor_id = :todo_id"
    " UNION SELECT l.todo_id, a.depth + 1 FROM lineage l JOIN above a ON l.successor_id = a.id WHERE a.depth <= :most)"
    " SELECT id FROM above WHERE id <> :todo_id GROUP BY id ORDER BY min(depth), id LIMIT :most + 1"
)


def lineage_of(db: Connection, todo: Todo) -> Lineage:
    """The lineage of a todo that was read with its edges."""
    rows = db.execute(_ABOVE, {"todo_id": todo.todo_id, "most": CHAIN_LIMIT}).fetchall()
    return Lineage(
        todo_id=todo.todo_id,
        predecessor=todo.predecessors[0] if todo.predecessors else None,
        ancestors=tuple(row[0] for row in rows[:CHAIN_LIMIT]),
        ancestors_truncated=len(rows) > CHAIN_LIMIT,
        successors=todo.successors,
        supersedes=_superseded(db, todo),
        replaced_by=_replacements(db, todo),
    )


def _superseded(db: Connection, todo: Todo) -> tuple[str, ...]:
    """What the todo stands in for, back to the first."""
    chain: list[str] = []
    at: Todo | None = todo
    while at is not None and len(chain) < CHAIN_LIMIT:
        at = _replaced_by(db, at)
        if at is not None:
            chain.append(at.todo_id)
    return tuple(chain)


def _replaced_by(db: Connection, todo: Todo) -> Todo | None:
    """The todo that this one replaced, if it did."""
    before = (find_todo(db, todo_id) for todo_id in todo.predecessors)
    return next((one for one in before if one is not None and one.superseded_by == todo.todo_id), None)


def _replacements(db: Connection, todo: Todo) -> tuple[str, ...]:
    """What stands in for the todo, on to the last."""
    chain: list[str] = []
    at: Todo | None = todo
    while at is not None and at.superseded_by is not None and len(chain) < CHAIN_LIMIT:
        chain.append(at.superseded_by)
        at = find_todo(db, at.superseded_by)
    return tuple(chain)
