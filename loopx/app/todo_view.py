"""How use cases say what became of a todo."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.contracts.todo_document import brief_todo, full_todo

if TYPE_CHECKING:
    from loopx.app.mutation import Document, Work
    from loopx.core.todo import Todo

TODO_SCHEMA = "todo_v1"


def todo_answer(work: Work, todo: Todo) -> Document:
    """The document of a verb on one todo: brief, or whole with `--full`."""
    return {"schema_version": TODO_SCHEMA, "ok": True, "todo": seen(work, todo)}


def seen(work: Work, todo: Todo) -> Document:
    """The todo as this call wants it shown."""
    if not work.call.full:
        return brief_todo(todo)
    agents = [agent.agent_id for agent in work.goal.active_agents]
    return full_todo(todo, now=work.now, active_agents=agents)
