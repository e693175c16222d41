"""Putting a todo aside and taking it up again: defer, block, reopen (W10.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.awaiting import resume_of
from loopx.app.mutation import Call, Document, Outcome, Work, mutate
from loopx.app.todo_new import checked_todo, dependency_ids, todo_in_goal, unique
from loopx.app.todo_view import todo_answer
from loopx.core.command import command
from loopx.core.graph import refuse_cycle
from loopx.core.lifecycle import refuse_unmovable
from loopx.core.todo import Status
from loopx.store.todos import waited_for

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopx.app.project import Project
    from loopx.core.todo import Todo


def defer_todo(project: Project, call: Call, todo_id: str, resume_when: str | None) -> Document:
    """Let the todo sleep until its condition holds. ResumeConditionInvalidError, …UnsatisfiableError."""

    def deferred(work: Work, todo: Todo) -> Todo:
        resume = resume_of(work, resume_when, sleeper=todo.todo_id) or todo.resume
        return todo._replace(status=Status.DEFERRED, resume=resume, block_reason=None, lease=None)

    return _move(project, call, todo_id, Status.DEFERRED, deferred, "defer a gate")


def block_todo(project: Project, call: Call, todo_id: str, blocked_by: tuple[str, ...]) -> Document:
    """Hold the todo by a stated reason, other todos, or both. ReasonRequiredError without either."""

    def blocked(work: Work, todo: Todo) -> Todo:
        edges = unique((*todo.blocked_by, *dependency_ids(work, blocked_by)))
        refuse_new_cycles(work, todo, edges)
        return todo._replace(status=Status.BLOCKED, blocked_by=edges, block_reason=call.reason, resume=None, lease=None)

    return _move(project, call, todo_id, Status.BLOCKED, blocked, "block a gate")


def reopen_todo(project: Project, call: Call, todo_id: str) -> Document:
    """Open a blocked or deferred todo; its dependencies stay. TodoNotOpenError for a superseded one."""

    def reopened(_work: Work, todo: Todo) -> Todo:
        return todo._replace(status=Status.OPEN, resume=None, block_reason=None)

    return _move(project, call, todo_id, Status.OPEN, reopened, "reopen a gate")


def refuse_new_cycles(work: Work, todo: Todo, edges: tuple[str, ...]) -> None:
    """DependencyCycleError, with the path, where an edge that is not there yet would close one."""
    for edge in edges:
        if edge not in todo.blocked_by:
            refuse_cycle(todo.todo_id, edge, lambda node: waited_for(work.tx.db, node))


def _move(
    project: Project,
    call: Call,
    todo_id: str,
    target: Status,
    moved: Callable[[Work, Todo], Todo],
    what: str,
) -> Document:
    def change(work: Work) -> Outcome:
        todo = work.tx.todo(todo_in_goal(work, todo_id))
        refuse_unmovable(todo, target, work.hand(todo), work.now, what)
        after = work.tx.save(todo, checked_todo(moved(work, todo)))
        return Outcome(todo_answer(work, after), todo.todo_id, next_command=command("todo", "show", todo.todo_id))

    return mutate(project, call, change)
