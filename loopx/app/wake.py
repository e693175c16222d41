"""A deferred todo whose condition holds is opened by whoever takes it (cli.md, `todo defer`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.todo import Status
from loopx.store.resume import condition_holds

if TYPE_CHECKING:
    from loopx.app.mutation import Work
    from loopx.core.todo import Todo


def reopened_if_awake(work: Work, todo: Todo) -> Todo:
    """The todo as it is, or open where it slept and its condition holds now."""
    if todo.status is not Status.DEFERRED or todo.is_closed or todo.resume is None:
        return todo
    if not condition_holds(work.tx.db, todo.resume, work.goal, work.now):
        return todo
    return work.tx.save(todo, todo._replace(status=Status.OPEN, resume=None))
