"""What a todo may be told to wait for: only what can still happen (W10.5, hardening: one-way door)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.errors import ResumeConditionUnsatisfiableError
from loopx.core.graph import path_to
from loopx.core.resume import ResumeKind, parse_resume_condition
from loopx.core.todo import Closure, Resume, TaskClass
from loopx.store.todos import resolve_todo_id, waited_for

if TYPE_CHECKING:
    from loopx.app.mutation import Work
    from loopx.core.todo import Todo


def resume_of(work: Work, text: str | None, *, sleeper: str | None = None) -> Resume | None:
    """The condition for the todo `sleeper` (None for one that is not stored yet), with a todo id resolved.

    ResumeConditionInvalidError, ResumeConditionUnsatisfiableError.
    """
    if text is None:
        return None
    condition = parse_resume_condition(text, now=work.now)
    if condition.kind is ResumeKind.TODO_DONE:
        return until_done(work, resolve_todo_id(work.tx.db, condition.ref, goal_id=work.goal.goal_id), sleeper)
    if condition.kind is ResumeKind.CAPACITY_AVAILABLE:
        _refuse_unknown_pool(work, condition.ref)
    return Resume(condition.kind.value, condition.ref, condition.at_us)


def until_done(work: Work, todo_id: str, sleeper: str | None) -> Resume:
    """`todo_done` of that todo, or of what has replaced it; ResumeConditionUnsatisfiableError."""
    awaited = latest(work, work.tx.todo(todo_id))
    if awaited.task_class is TaskClass.MONITOR or awaited.closure in (Closure.FAILED, Closure.SUPERSEDED):
        raise _unsatisfiable(awaited, f"it is {awaited.closure or awaited.task_class}")
    path = path_to(awaited.todo_id, sleeper, lambda node: waited_for(work.tx.db, node)) if sleeper else None
    if path is not None:
        raise _unsatisfiable(awaited, f"{' → '.join((path[-1], *path))} would wait for itself")
    return Resume(ResumeKind.TODO_DONE.value, awaited.todo_id)


def latest(work: Work, todo: Todo) -> Todo:
    """The end of the todo's replacements."""
    seen = {todo.todo_id}
    while todo.closure is Closure.SUPERSEDED and todo.superseded_by and todo.superseded_by not in seen:
        todo = work.tx.todo(todo.superseded_by)
        seen.add(todo.todo_id)
    return todo


def _unsatisfiable(awaited: Todo, fact: str) -> ResumeConditionUnsatisfiableError:
    return ResumeConditionUnsatisfiableError(
        f"todo_done:{awaited.todo_id} can never hold: {fact}",
        hint="Wait for something that can still happen, such as another todo or a time.",
        todo_id=awaited.todo_id,
    )


def _refuse_unknown_pool(work: Work, name: str) -> None:
    if name not in {pool.name for pool in work.goal.pools}:
        raise ResumeConditionUnsatisfiableError(
            f"capacity_available:{name} can never hold: {work.goal.goal_id} has no pool of that name",
            hint="Make the pool first with `loopx pool set`.",
            pool=name,
        )
