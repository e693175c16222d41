"""What a living worker does now, told beside the store: an idle worker writes nothing there (S4.3)."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from loopx.team.place import lock_of

if TYPE_CHECKING:
    from loopx.app.project import Project
    from loopx.team.worker import Worker


@dataclass(frozen=True, slots=True, kw_only=True)
class Presence:
    """A living worker: `is_waiting` where it found nothing for a whole idle timeout and nothing has changed since."""

    state: str
    todo_id: str | None = None
    is_waiting: bool = False


def spoken(worker: Worker) -> str:
    """The words for the worker's lock file."""
    return json.dumps({"state": worker.state.value, "todo_id": worker.todo_id, "is_waiting": worker.is_waiting})


def presence_of(project: Project, goal_id: str, agent_id: str) -> Presence | None:
    """What the agent's worker on this machine does now; None where none lives."""
    said = lock_of(project.paths.folder, goal_id, agent_id).said()
    if said is None:
        return None
    with suppress(ValueError, KeyError, TypeError):  # it is just being written
        told = json.loads(said)
        return Presence(state=str(told["state"]), todo_id=told["todo_id"], is_waiting=bool(told["is_waiting"]))
    return Presence(state="idle")
