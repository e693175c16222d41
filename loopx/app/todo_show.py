"""`todo show`: one todo, whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.mark import Marker
from loopx.app.todo_view import TODO_SCHEMA
from loopx.contracts.todo_document import full_todo
from loopx.store.todos import get_todo, resolve_todo_id

if TYPE_CHECKING:
    from loopx.app.mutation import Document
    from loopx.app.project import Project, Snapshot


def show_todo(project: Project, typed_id: str) -> Document:
    """The todo of that id or unique prefix. TodoNotFoundError, UsageError where several fit."""

    def query(snapshot: Snapshot) -> Document:
        todo = get_todo(snapshot.db, resolve_todo_id(snapshot.db, typed_id))
        goal = snapshot.registry.find(todo.goal_id)
        agents = [agent.agent_id for agent in goal.active_agents] if goal else []
        document = full_todo(todo, now=snapshot.now, active_agents=agents)
        return {
            "schema_version": TODO_SCHEMA,
            "ok": True,
            "todo": Marker(snapshot).marked(document, todo),
            "state": snapshot.state,
        }

    return project.read(query)
