"""The part of the work graph around one todo: what it waits for, what waits for it, and its lineage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.todo_graph import graph_edges, graph_node
from loopx.core.value import Value
from loopx.store.glance import gates_freeing
from loopx.store.todos import dependents_of, get_todo, resolve_todo_id

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopx.app.mutation import Document
    from loopx.app.project import Project, Snapshot
    from loopx.core.todo import Todo
    from loopx.store.connection import Connection

MOST = 60  # todos; more would be no picture of one todo


class Surroundings(Value):
    """The todos within `steps` of the middle one, it first, and the edges between them; `cut` where there are more."""

    nodes: tuple[Document, ...]
    edges: tuple[Document, ...]
    cut: bool


def read_surroundings(project: Project, typed_id: str, *, steps: int = 2, most: int = MOST) -> Surroundings:
    """Nearest first, at most `most` todos. TodoNotFoundError, UsageError where several fit."""

    def query(snapshot: Snapshot) -> Surroundings:
        todo_id = resolve_todo_id(snapshot.db, typed_id)
        todos, cut = _within(snapshot.db, todo_id, steps, most)
        edges = (edge for todo in todos.values() for edge in graph_edges(todo))
        inside = tuple(edge for edge in edges if edge["from"] in todos and edge["to"] in todos)
        return Surroundings(tuple(graph_node(todo) for todo in todos.values()), inside, cut)

    return project.read(query)


def _within(db: Connection, todo_id: str, steps: int, most: int) -> tuple[dict[str, Todo], bool]:
    todos: dict[str, Todo] = {}
    ring = [todo_id]
    for step in range(steps + 1):
        found = [name for name in dict.fromkeys(ring) if name not in todos]
        room = most - len(todos)
        todos |= {todo.todo_id: todo for todo in (get_todo(db, name) for name in found[:room])}
        if len(found) > room:
            return todos, True
        ring = [near for name in found for near in _neighbours(db, todos[name])] if step < steps else []
    return todos, False


def _neighbours(db: Connection, todo: Todo) -> Iterable[str]:
    gate = todo.gate
    yield from todo.blocked_by
    yield from todo.predecessors
    yield from todo.successors
    yield from dependents_of(db, todo.todo_id)
    yield from gates_freeing(db, todo.todo_id)
    if gate is not None and gate.unblocks_todo_id is not None:
        yield gate.unblocks_todo_id
