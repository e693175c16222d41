"""`todo show`: one todo, whole."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from loopx.app.mark import Marker
from loopx.app.todo_view import TODO_SCHEMA
from loopx.contracts.todo_document import full_todo
from loopx.core.instant import format_instant
from loopx.store.archive import archived_at
from loopx.store.events import ATTEMPT_NOTED, count_events
from loopx.store.origins import kept_of, sources_of
from loopx.store.todos import get_todo, resolve_todo_id

if TYPE_CHECKING:
    from loopx.app.mutation import Document
    from loopx.app.project import Project, Snapshot
    from loopx.core.todo import Todo


def show_todo(project: Project, typed_id: str, goal_id: str | None = None) -> Document:
    """The todo of that id or unique prefix, of that goal where one is named.

    TodoNotFoundError, GoalNotFoundError, UsageError where several fit.
    """

    def query(snapshot: Snapshot) -> Document:
        named = snapshot.registry.goal(goal_id).goal_id if goal_id is not None else None
        todo = get_todo(snapshot.db, resolve_todo_id(snapshot.db, typed_id, goal_id=named))
        goal = snapshot.registry.find(todo.goal_id)
        agents = [agent.agent_id for agent in goal.active_agents] if goal else []
        document = full_todo(todo, now=snapshot.now, active_agents=agents)
        if todo.is_closed:
            document |= _archival(snapshot, todo.todo_id)
        document["attempt_notes"] = count_events(snapshot.db, todo.todo_id, ATTEMPT_NOTED)
        return {
            "schema_version": TODO_SCHEMA,
            "ok": True,
            "todo": Marker(snapshot).marked(document, todo),
            "lineage": _lineage(snapshot, todo),
            **_origin(snapshot, todo.todo_id),
            "state": snapshot.state,
        }

    return project.read(query)


def _archival(snapshot: Snapshot, todo_id: str) -> Document:
    """Since when the todo is archived, for one that is."""
    moment = archived_at(snapshot.db, todo_id)
    return {} if moment is None else {"archived_at": format_instant(moment)}


def _origin(snapshot: Snapshot, todo_id: str) -> Document:
    """Where an imported todo came from, and what it had there that a todo has no place for."""
    sources, kept = sources_of(snapshot.db, todo_id), kept_of(snapshot.db, todo_id)
    if not sources and kept is None:
        return {}
    rows = [{"source": source, "source_id": source_id} for source, source_id in sources]
    return {"origin": {"sources": rows, "kept": json.loads(kept) if kept else {}}}


def _lineage(snapshot: Snapshot, todo: Todo) -> Document | None:
    """Where the todo comes from and what stands in for what; None for one that stands alone."""
    if not (todo.predecessors or todo.successors or todo.superseded_by):
        return None
    from loopx.contracts.lineage_document import lineage_row
    from loopx.store.lineage import lineage_of

    return lineage_row(lineage_of(snapshot.db, todo))
