"""A task as tools show it: the work-stealing spelling, with what a worker has to know beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.contracts.todo_document import (
    DESCRIPTION_BYTES,
    ID_LIST_LIMIT,
    SUBJECT_BYTES,
    priority_name,
    task_document,
)
from loopx.core.instant import format_instant
from loopx.core.text import cut, first_line

if TYPE_CHECKING:
    from loopx.app.mutation import Document
    from loopx.core.instant import Instant
    from loopx.core.todo import Todo

TASK_SCHEMA = "task_v1"
TASK_LIST_SCHEMA = "task_list_v1"
TASK_COMPLETE_SCHEMA = "task_complete_v1"
WHOLE_BYTES = 16_000  # of a task's words in a model's context; `todo show` has all of them


def task_row(todo: Todo, now: Instant) -> Document:
    """A task in a list: the six fields, and how it was closed, since `completed` may be a failure."""
    document = task_document(todo, now)
    if todo.closure is not None:
        document["closure"] = todo.closure.value
    return document


def whole_task(todo: Todo, now: Instant) -> Document:
    """A task with its whole words, its lease's end, and what a worker needs of it; never its token."""
    lease = todo.live_lease(now)
    description, truncated = cut(_words(todo.text), WHOLE_BYTES)
    document = task_row(todo, now) | {
        "description": description,
        "blocked_by": list(todo.blocked_by),
        "priority": priority_name(todo.priority),
        "unmet_dependencies": todo.unmet,
        "lease_expires_at_utc": format_instant(lease.expires_at) if lease else None,
    }
    if truncated:
        document["description_truncated"] = True
    return document | {name: value for name, value in _particulars(todo).items() if value}


def completed_task(full: Document) -> Document:
    """The six fields of a task that was just closed, from its whole document."""
    text = full["text"]
    return {
        "id": full["todo_id"],
        "subject": cut(first_line(text), SUBJECT_BYTES)[0],
        "description": cut(_words(text), DESCRIPTION_BYTES)[0],
        "status": "completed",
        "owner": full["claimed_by"],
        "blocked_by": full["blocked_by"][:ID_LIST_LIMIT],
    }


def _words(text: str) -> str:
    """What follows the subject; the whole text where its first line is longer than a subject."""
    line = first_line(text)
    is_cut = len(line.encode("utf-8")) > SUBJECT_BYTES
    return text if is_cut else text[len(line) :].lstrip("\n")


def _particulars(todo: Todo) -> Document:
    """What most tasks do not have."""
    return {
        "acceptance": list(todo.acceptance),
        "required_capabilities": list(todo.route.required_capabilities),
        "required_write_scopes": list(todo.route.required_write_scopes),
        "validation_command": list(todo.validation.argv) if todo.validation else [],
        "evidence": todo.evidence,
        "attempts": todo.attempts,
    }
