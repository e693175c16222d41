"""`todo add`: one new node in the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.mutation import Call, Document, Outcome, Work, mutate
from loopx.app.todo_new import NewTodo, build_todo
from loopx.app.todo_view import todo_answer
from loopx.core.command import command
from loopx.core.todo import Role, TaskClass

if TYPE_CHECKING:
    from loopx.app.project import Project
    from loopx.core.todo import Todo

LITERAL_NEWLINE = "the text holds a literal \\n; it was kept as it is"


def add_todo(project: Project, call: Call, new: NewTodo) -> Document:
    """Store a new todo (W1.1). UsageError, DependencyMissingError and the refusals of `build_todo`."""

    def change(work: Work) -> Outcome:
        todo = work.tx.insert(build_todo(work, new))
        warnings = (LITERAL_NEWLINE,) if "\\n" in new.text else ()
        return Outcome(todo_answer(work, todo), todo.todo_id, next_command=_next_command(todo), warnings=warnings)

    return mutate(project, call, change)


def _next_command(todo: Todo) -> str:
    if todo.task_class is TaskClass.USER_GATE:
        return command("gate", "answer", todo.todo_id)
    if todo.role is Role.USER:
        return command("inbox", "--goal-id", todo.goal_id)
    return command("todo", "show", todo.todo_id)
