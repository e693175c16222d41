"""The five leased task tools (S3.1). Each handler asks the same use case as the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.claim_next import Wish, claim_next
from loopx.app.mark import Marker
from loopx.app.mutation import Outcome, Work, mutate
from loopx.app.page import checked_page
from loopx.app.todo_complete import Completion, complete_todo
from loopx.app.todo_list import Wanted, read_page
from loopx.app.todo_new import NewTodo, build_todo
from loopx.app.toolset.claim import claim_task
from loopx.app.toolset.schema import CLAIM_TOKEN, TASK_ID, strict_object, text_of
from loopx.app.toolset.tool import LEAD_ROLES, Tool
from loopx.app.toolset.view import (
    TASK_COMPLETE_SCHEMA,
    TASK_LIST_SCHEMA,
    TASK_SCHEMA,
    completed_task,
    task_row,
    whole_task,
)
from loopx.core.command import command
from loopx.core.todo import Role, Status, TaskClass
from loopx.settings import ROLES
from loopx.store.todos import get_todo, resolve_todo_id

if TYPE_CHECKING:
    from loopx.app.mutation import Document
    from loopx.app.project import Snapshot
    from loopx.app.toolset.tool import Arguments, ToolContext
    from loopx.core.todo import Todo

SUBJECT_LENGTH = 120
LONG = 20_000  # characters of a description or of evidence; longer ones belong in a file
LIST_LIMIT = 20
MOST_LISTED = 100


def _create(context: ToolContext, arguments: Arguments) -> Document:
    """One new task. It counts as no-follow-up, since its maker plans the graph (S3.3)."""
    description = arguments.get("description")
    new = NewTodo(
        text=arguments["subject"] + (f"\n{description}" if description else ""),
        priority=arguments.get("priority"),
        blocked_by=tuple(arguments.get("blocked_by", ())),
    )

    def change(work: Work) -> Outcome:
        todo = work.tx.insert(build_todo(work, new)._replace(no_followup=True))
        body = {"schema_version": TASK_SCHEMA, "ok": True, "task": whole_task(todo, work.now)}
        return Outcome(body, todo.todo_id, next_command=command("todo", "show", todo.todo_id))

    return mutate(context.project, context.call("todo_added", arguments), change)


def _get(context: ToolContext, arguments: Arguments) -> Document:
    """One task, whole."""

    def query(snapshot: Snapshot) -> Document:
        todo = _named(snapshot, context, arguments["task_id"])
        task = _marked(Marker(snapshot), whole_task(todo, snapshot.now), todo)
        return {"schema_version": TASK_SCHEMA, "ok": True, "task": task, "state": snapshot.state}

    return context.project.read(query)


def _named(snapshot: Snapshot, context: ToolContext, task_id: str) -> Todo:
    goal = snapshot.registry.goal(context.goal_id).goal_id if context.goal_id is not None else None
    return get_todo(snapshot.db, resolve_todo_id(snapshot.db, task_id, goal_id=goal))


def _marked(marker: Marker, document: Document, todo: Todo) -> Document:
    """The document with what else holds the task; that it is leased, its status and owner say."""
    marks = [mark for mark in marker.marked({}, todo).get("marks", ()) if mark["mark"] != "LEASED"]
    return {**document, "marks": marks} if marks else document


def _list(context: ToolContext, arguments: Arguments) -> Document:
    """A page of tasks in creation order; `ready` is what the decision would let this worker start."""
    only = arguments.get("only")
    wanted = Wanted(
        goal_id=context.goal_id,
        role=Role.AGENT,
        task_class=TaskClass.ADVANCEMENT,
        status=Status.DONE if only == "completed" else None,
        open_only=only == "open",
        runnable_for=context.identity if only == "ready" else None,
    )
    page = checked_page(arguments.get("limit", LIST_LIMIT), arguments.get("cursor"))

    def query(snapshot: Snapshot) -> Document:
        todos, keys = read_page(snapshot, wanted, page, full=True)
        marker = Marker(snapshot)
        tasks = [_marked(marker, task_row(todo, snapshot.now), todo) for todo in todos]
        return {"schema_version": TASK_LIST_SCHEMA, "ok": True, "tasks": tasks, **keys, "state": snapshot.state}

    return context.project.read(query)


def _claim(context: ToolContext, arguments: Arguments) -> Document:
    """The named task, or the best ready one, under a lease with a fresh token."""
    wish = Wish(context.ttl, context.capabilities, context.folder)
    task_id = arguments.get("task_id")
    if task_id is None:
        return claim_next(context.project, context.call("todo_claimed_next", arguments), wish)
    return claim_task(context.project, context.call("task_claimed", arguments), task_id, wish)


def _complete(context: ToolContext, arguments: Arguments) -> Document:
    """Close a task under its token. Evidence that is not given is the id of the run (S3.3)."""
    call = context.call("todo_completed", arguments, claim_token=arguments["claim_token"], full=True)
    completion = Completion(
        evidence=arguments.get("evidence", context.run_id),
        failed=arguments.get("outcome") == "failed",
        folder=context.folder,
    )
    done = complete_todo(context.project, call, arguments["task_id"], completion)
    return {
        "schema_version": TASK_COMPLETE_SCHEMA,
        "ok": True,
        "task": completed_task(done["todo"]),
        **{name: done[name] for name in ("closure", "unblocked", "unblocked_total", "receipt", "state", "warnings")},
    }


CREATE_TASK = Tool(
    "create_task",
    "Add a task to the shared graph.",
    strict_object(
        {
            "subject": text_of("One line.", SUBJECT_LENGTH, pattern="^[^\\n\\r]+$"),
            "description": text_of("What done means.", LONG),
            "blocked_by": {
                "type": "array",
                "items": TASK_ID,
                "uniqueItems": True,
                "maxItems": 100,
                "description": "Tasks that must be done first.",
            },
            "priority": {"enum": ["P0", "P1", "P2", "P3", "P4"], "description": "P0 first; P2 if left out."},
        },
        ("subject",),
    ),
    LEAD_ROLES,
    _create,
    writes=True,
)
GET_TASK = Tool(
    "get_task",
    "Read one task with its whole text.",
    strict_object({"task_id": TASK_ID}, ("task_id",)),
    ROLES,
    _get,
)
LIST_TASKS = Tool(
    "list_tasks",
    "List tasks, oldest first.",
    strict_object(
        {
            "only": {"enum": ["ready", "open", "completed"], "description": "ready: what you may claim now."},
            "limit": {"type": "integer", "minimum": 1, "maximum": MOST_LISTED},
            "cursor": {"type": "string", "description": "next_cursor of the page before.", "maxLength": 20},
        }
    ),
    ROLES,
    _list,
)
CLAIM_TASK = Tool(
    "claim_task",
    "Claim a task under a lease; without task_id the best ready one. Keep the claim_token.",
    strict_object({"task_id": TASK_ID}),
    ROLES,
    _claim,
    writes=True,
    starts_work=True,
)
COMPLETE_TASK = Tool(
    "complete_task",
    "Complete a task that you hold; saying that it is done does not.",
    strict_object(
        {
            "task_id": TASK_ID,
            "claim_token": CLAIM_TOKEN,
            "evidence": text_of("What shows the result.", LONG),
            "outcome": {"enum": ["succeeded", "failed"]},
        },
        ("task_id", "claim_token"),
    ),
    ROLES,
    _complete,
    writes=True,
)
TASK_TOOLS = (CREATE_TASK, GET_TASK, LIST_TASKS, CLAIM_TASK, COMPLETE_TASK)
