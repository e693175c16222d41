"""Reading todos: by id, by unique prefix, and with the edges that belong to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.core.errors import TodoNotFoundError, UsageError
from loopx.store.todo_row import FROM, SELECT, todo_of_row

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from loopx.core.todo import Todo
    from loopx.store.connection import Connection

ID_PREFIX = "todo_"
_CANDIDATES = 5  # shown when a prefix is ambiguous
_BY_ID = f"{SELECT} {FROM} WHERE t.todo_id = ?"
_DEPENDENCIES = "SELECT dependency_id FROM edges WHERE todo_id = ? ORDER BY position"
_WAITED_FOR = (
    "SELECT dependency_id FROM edges WHERE todo_id = :todo_id UNION SELECT resume_ref FROM todos"
    " WHERE todo_id = :todo_id AND resume_kind = 'todo_done' AND closure IS NULL"
)
_DEPENDENTS = "SELECT todo_id FROM edges WHERE dependency_id = ? ORDER BY todo_id"
_BLOCKED_BY, _SUCCESSOR, _PREDECESSOR = range(3)
_LINKS = (
    f"SELECT {_BLOCKED_BY}, position, dependency_id FROM edges WHERE todo_id = :todo_id"
    f" UNION ALL SELECT {_SUCCESSOR}, position, successor_id FROM lineage WHERE todo_id = :todo_id"
    f" UNION ALL SELECT {_PREDECESSOR}, coalesce(t.sequence, a.sequence), l.todo_id FROM lineage l"
    " LEFT JOIN todos t ON t.todo_id = l.todo_id LEFT JOIN archived_todos a ON a.todo_id = l.todo_id"
    " WHERE l.successor_id = :todo_id"
)
_PREDECESSORS = (
    "SELECT l.todo_id FROM lineage l LEFT JOIN todos t ON t.todo_id = l.todo_id"
    " LEFT JOIN archived_todos a ON a.todo_id = l.todo_id WHERE l.successor_id = ?"
    " ORDER BY coalesce(t.sequence, a.sequence)"
)
_OF_PREFIX = "WHERE todo_id >= :first AND todo_id < :end AND (goal_id = :goal OR :goal IS NULL)"
_BY_PREFIX = (
    f"SELECT todo_id FROM todos {_OF_PREFIX} UNION ALL SELECT todo_id FROM archived_todos {_OF_PREFIX}"
    " ORDER BY todo_id LIMIT :limit"
)


def find_todo(db: Connection, todo_id: str) -> Todo | None:
    """The todo of exactly that id, archived or not, with its edges and lineage."""
    row = db.execute(_BY_ID, (todo_id,)).fetchone()
    if row is not None:
        return with_edges(db, todo_of_row(row))
    from loopx.store.archive import find_archived  # few look for what is closed long since

    return find_archived(db, todo_id)


def with_edges(db: Connection, bare: Todo) -> Todo:
    """A todo of `bare_todos` with its dependencies and its lineage."""
    links = sorted(db.execute(_LINKS, {"todo_id": bare.todo_id}).fetchall())
    if not links:
        return bare
    blocked_by, successors, predecessors = (
        tuple(other for of, _, other in links if of == kind) for kind in (_BLOCKED_BY, _SUCCESSOR, _PREDECESSOR)
    )
    return bare._replace(blocked_by=blocked_by, successors=successors, predecessors=predecessors)


def get_todo(db: Connection, todo_id: str) -> Todo:
    """`find_todo`, or TodoNotFoundError."""
    todo = find_todo(db, todo_id)
    if todo is None:
        raise TodoNotFoundError(
            f"there is no todo {todo_id}", hint="`loopx todo list` shows those there are.", todo_id=todo_id
        )
    return todo


def id_prefix(typed: str) -> str:
    """How the ids begin that a typed one can mean: in lower case and with `todo_`."""
    prefix = typed.strip().lower()
    return prefix if prefix.startswith(ID_PREFIX) else ID_PREFIX + prefix


def resolve_todo_id(db: Connection, typed: str, *, goal_id: str | None = None) -> str:
    """The full id of a typed id or unique prefix (also without `todo_`), whatever its case.

    TodoNotFoundError for none, UsageError with the candidates for several.
    """
    prefix = id_prefix(typed)
    values = {"first": prefix, "end": prefix + "\x7f", "goal": goal_id, "limit": _CANDIDATES + 1}
    rows = db.execute(_BY_PREFIX, values)
    found = [row[0] for row in rows]
    if prefix in found:
        return prefix
    if len(found) == 1 and len(prefix) > len(ID_PREFIX):
        return str(found[0])
    if not found or len(prefix) <= len(ID_PREFIX):
        raise TodoNotFoundError(
            f"there is no todo {typed!r}", hint="`loopx todo list` shows those there are.", todo_id=typed
        )
    raise UsageError(
        f"{typed!r} could be several todos",
        hint=f"Type more of the id: {', '.join(found[:_CANDIDATES])}.",
        candidates=found[:_CANDIDATES],
    )


def dependencies_of(db: Connection, todo_id: str) -> tuple[str, ...]:
    """What the todo is blocked by, in declared order."""
    return _ids(db, _DEPENDENCIES, todo_id)


def waited_for(db: Connection, todo_id: str) -> tuple[str, ...]:
    """What must be done before the todo goes on: its dependencies, and the todo whose end wakes it."""
    return tuple(row[0] for row in db.execute(_WAITED_FOR, {"todo_id": todo_id}))


def predecessors_of(db: Connection, todo_id: str) -> tuple[str, ...]:
    """What the todo came out of, by creation, archived or not."""
    return _ids(db, _PREDECESSORS, todo_id)


def dependents_of(db: Connection, todo_id: str) -> tuple[str, ...]:
    """Who is blocked by the todo."""
    return _ids(db, _DEPENDENTS, todo_id)


def _ids(db: Connection, statement: str, todo_id: str) -> tuple[str, ...]:
    return tuple(row[0] for row in db.execute(statement, (todo_id,)))


def select_todos(db: Connection, where: str, values: Sequence[Any]) -> list[Todo]:
    """The todos of a `WHERE … ORDER BY …` text, with their dependencies and lineage."""
    rows = db.execute(f"{SELECT} {FROM} {where}", values).fetchall()
    ids = [row[0] for row in rows]
    edges = _grouped(db, "SELECT todo_id, dependency_id FROM edges WHERE todo_id IN ({}) ORDER BY position", ids)
    after = _grouped(db, "SELECT todo_id, successor_id FROM lineage WHERE todo_id IN ({}) ORDER BY position", ids)
    before = _grouped(db, "SELECT successor_id, todo_id FROM lineage WHERE successor_id IN ({})", ids)
    return [
        todo_of_row(
            row,
            blocked_by=edges.get(row[0], ()),
            successors=after.get(row[0], ()),
            predecessors=before.get(row[0], ()),
        )
        for row in rows
    ]


def bare_todos(db: Connection, where: str, values: Sequence[Any] | Mapping[str, Any]) -> list[Todo]:
    """Like `select_todos`, without edges and lineage: one query, for brief views and the decision."""
    return [todo_of_row(row) for row in db.execute(f"{SELECT} {FROM} {where}", values)]


_CHUNK = 500  # well below SQLite's limit of bound values


def _grouped(db: Connection, statement: str, ids: Sequence[str]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for start in range(0, len(ids), _CHUNK):
        chunk = ids[start : start + _CHUNK]
        for key, value in db.execute(statement.format(marks(chunk)), chunk):
            groups.setdefault(key, []).append(value)
    return groups


def marks(values: Iterable[object]) -> str:
    """As many question marks as there are values."""
    return ",".join("?" for _ in values)
