"""Lists of todos: `todo list`, `gate list` and `inbox` (bounded, oldest first, S1.2)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from loopx.app.mark import Marker
from loopx.app.page import Page, page_keys
from loopx.app.project import near, registered_agent
from loopx.contracts.todo_document import brief_todo, full_todo
from loopx.core.errors import AgentNotRegisteredError, UsageError
from loopx.core.name import normalise_name
from loopx.core.todo import Role, Status, TaskClass
from loopx.core.value import Value
from loopx.store.archive import archived_todos
from loopx.store.query import Filter, total_of
from loopx.store.todos import bare_todos, select_todos

if TYPE_CHECKING:
    from loopx.app.mutation import Document
    from loopx.app.project import Project, Snapshot
    from loopx.core.todo import Todo

LIST_SCHEMA = "todo_list_v1"


class Wanted(Value):
    """What a list is narrowed to; None does not narrow."""

    goal_id: str | None = None
    status: Status | None = None
    task_class: TaskClass | None = None
    role: Role | None = None
    claimed_by: str | None = None
    text_match: str | None = None
    runnable_for: str | None = None
    open_only: bool = False
    archived: bool = False


def list_todos(project: Project, wanted: Wanted, page: Page, *, full: bool = False) -> Document:
    """The todos that match, in creation order. GoalNotFoundError, AgentNotRegisteredError."""

    return project.read(lambda snapshot: todo_page(snapshot, wanted, page, full=full))


def todo_page(snapshot: Snapshot, wanted: Wanted, page: Page, *, full: bool = False) -> Document:
    """The same on a snapshot that is open already."""
    todos, keys = read_page(snapshot, wanted, page, full=full)
    marker = Marker(snapshot)
    return {
        "schema_version": LIST_SCHEMA,
        "ok": True,
        "todos": [marker.marked(_seen(snapshot, todo, full=full), todo) for todo in todos],
        **keys,
        "state": snapshot.state,
    }


def read_page(snapshot: Snapshot, wanted: Wanted, page: Page, *, full: bool) -> tuple[list[Todo], Document]:
    """The todos of a page, with edges and lineage where `full`, and the keys that say how to go on."""
    chosen = _filter(snapshot, wanted)
    total = total_of(snapshot.db, "archived_todos t" if wanted.archived else "todos t", chosen)
    chosen.add("t.sequence > ?", page.after)
    read = archived_todos if wanted.archived else select_todos if full else bare_todos
    found = read(snapshot.db, f"{chosen.where} ORDER BY t.sequence LIMIT ?", [*chosen.values, page.limit + 1])
    keys = page_keys([todo.sequence for todo in found], len(found), page.limit)
    return found[: page.limit], {"total": total, **keys}


def _seen(snapshot: Snapshot, todo: Todo, *, full: bool) -> Document:
    if not full:
        return brief_todo(todo)
    goal = snapshot.registry.find(todo.goal_id)
    agents = [agent.agent_id for agent in goal.active_agents] if goal else []
    return full_todo(todo, now=snapshot.now, active_agents=agents)


def _filter(snapshot: Snapshot, wanted: Wanted) -> Filter:
    chosen = Filter()
    if wanted.goal_id is not None:
        chosen.add("t.goal_id = ?", snapshot.registry.goal(wanted.goal_id).goal_id)
    chosen.add_if("t.status = ?", wanted.status and wanted.status.value)
    chosen.add_if("t.task_class = ?", wanted.task_class and wanted.task_class.value)
    chosen.add_if("t.role = ?", wanted.role and wanted.role.value)
    if wanted.claimed_by is not None:
        chosen.add("t.claimed_by = ?", _known_agent(snapshot, wanted))
    if wanted.text_match is not None:
        chosen.add("instr(lower(t.text), lower(?)) > 0", wanted.text_match)
    if wanted.open_only:
        chosen.add("t.closure IS NULL AND t.status = 'open'")
    if wanted.runnable_for is not None:
        _narrow_to_runnable(snapshot, wanted, chosen)
    return chosen


def _known_agent(snapshot: Snapshot, wanted: Wanted) -> str:
    """The agent that is asked for, retired or gone too; AgentNotRegisteredError for a name that nobody ever had."""
    name = normalise_name(wanted.claimed_by or "", what="agent id")
    goals = snapshot.registry.goals() if wanted.goal_id is None else (snapshot.registry.goal(wanted.goal_id),)
    known = tuple(agent.agent_id for goal in goals for agent in goal.agents)
    ever = "SELECT 1 FROM todos WHERE claimed_by = ? LIMIT 1"
    if name in known or snapshot.db.execute(ever, (name,)).fetchone():
        return name
    raise AgentNotRegisteredError(
        f"{name!r} is not a registered agent{near(name, known)}",
        hint="`loopx agent list` shows the registered agents.",
        agent_id=name,
    )


def _narrow_to_runnable(snapshot: Snapshot, wanted: Wanted, chosen: Filter) -> None:
    """Only what the decision would let this agent run: one readiness, not a second one."""
    from loopx.core.decision.examine import runnable_cohorts
    from loopx.core.decision.snapshot import Caller
    from loopx.store.guard import refuse_undecidable
    from loopx.store.snapshot import load_snapshot, sequences_of

    refuse_undecidable(snapshot.db)
    if wanted.archived:
        raise UsageError("archived work is closed and runs for nobody", hint="Leave one of the two options out.")
    goal = snapshot.registry.goal(wanted.goal_id)
    caller = Caller(registered_agent(goal, wanted.runnable_for or ""))
    read = load_snapshot(snapshot.db, goal, now=snapshot.now, state=snapshot.state)
    works = [finding.cohort for finding in runnable_cohorts(read, caller, snapshot.now)]
    sequences = sequences_of(snapshot.db, read, works, now=snapshot.now)
    chosen.add("t.sequence IN (SELECT CAST(value AS BIGINT) FROM json_each(?))", json.dumps(sequences))
