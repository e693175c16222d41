"""`quota should-run` and `todo why`: one decision, and the whole chain behind it. Nothing is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.page import Page
from loopx.app.place import needed_workspace
from loopx.app.project import registered_agent
from loopx.contracts.packet import packet_document
from loopx.core.decision.compile import compile_decision
from loopx.core.decision.snapshot import Caller, Cohort, Snapshot
from loopx.core.todo import Role
from loopx.core.value import Value
from loopx.store.guard import refuse_undecidable
from loopx.store.snapshot import load_snapshot, read_cohort_of
from loopx.store.todos import get_todo, resolve_todo_id

if TYPE_CHECKING:
    from loopx.app.mutation import Document
    from loopx.app.project import Project
    from loopx.app.project import Snapshot as Reading
    from loopx.core.todo import Todo


class Question(Value):
    """Who asks, about which goal, with what, and from which folder (None where it was deleted)."""

    goal_id: str | None
    agent_id: str
    capabilities: tuple[str, ...] | None = None
    folder: str | None = None


def should_run(project: Project, question: Question, *, explained: Page | None = None) -> Document:
    """The decision's packet; with `explained`, a page of every drop too.

    GoalNotFoundError, AgentNotRegisteredError, GraphInvalidError.
    """

    def query(reading: Reading) -> Document:
        snapshot, caller = _asked(reading, question)
        document = packet_document(compile_decision(snapshot, caller, reading.now))
        if explained is not None:
            from loopx.contracts.explain import explain_document
            from loopx.core.decision.explain import explain

            rows = explain(snapshot, caller, reading.now)
            document["explain"] = explain_document(rows, offset=explained.after, limit=explained.limit)
        return document

    return project.read(query)


def why_todo(project: Project, question: Question, typed_id: str) -> Document:
    """Every stage of one todo for one agent, passed or failed, with facts and the next command.

    Where the question names a goal, the todo is one of that goal. TodoNotFoundError, GoalNotFoundError.
    """
    from loopx.contracts.explain import why_document
    from loopx.core.decision.explain import why

    def query(reading: Reading) -> Document:
        named = reading.registry.goal(question.goal_id).goal_id if question.goal_id is not None else None
        todo = get_todo(reading.db, resolve_todo_id(reading.db, typed_id, goal_id=named))
        snapshot, caller = _asked(reading, question._replace(goal_id=todo.goal_id))
        cohort = _cohort_of(reading, snapshot, todo)
        results = why(snapshot, caller, reading.now, cohort)
        return why_document(todo.todo_id, results, state=reading.state)

    return project.read(query)


def _asked(reading: Reading, question: Question) -> tuple[Snapshot, Caller]:
    goal = reading.registry.goal(question.goal_id)
    agent_id = registered_agent(goal, question.agent_id)
    refuse_undecidable(reading.db)
    snapshot = load_snapshot(reading.db, goal, now=reading.now, state=reading.state)
    return snapshot, Caller(agent_id, question.capabilities, needed_workspace(snapshot, question.folder))


def _cohort_of(reading: Reading, snapshot: Snapshot, todo: Todo) -> Cohort:
    if todo.is_closed or todo.role is Role.USER:
        return Cohort(members=(todo,), count=1)
    return read_cohort_of(reading.db, snapshot.goal, todo, now=reading.now)
