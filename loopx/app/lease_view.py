"""Looking at leases; tokens are never shown here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.lease import LEASE_SCHEMA
from loopx.app.page import Page, page_keys
from loopx.contracts.todo_document import lease_answer
from loopx.core.errors import LeaseNotFoundError, UsageError
from loopx.store.query import Filter, total_of
from loopx.store.todos import bare_todos, resolve_todo_id

if TYPE_CHECKING:
    from loopx.app.mutation import Document
    from loopx.app.project import Project, Snapshot

# By the index on the ends of leases: asked of the rows themselves in order, it would visit every todo.
_BY_END = "t.sequence IN (SELECT sequence FROM todos WHERE lease_id IS NOT NULL AND lease_expires_at > ?)"


def show_lease(project: Project, lease_id: str | None, todo_id: str | None) -> Document:
    """The live lease of that id or on that todo. LeaseNotFoundError, UsageError."""
    if (lease_id is None) == (todo_id is None):
        raise UsageError("name the lease or its todo", hint="Give one of --lease-id and --todo-id.")

    def query(snapshot: Snapshot) -> Document:
        chosen = _live(snapshot)
        if todo_id is not None:
            chosen.add("t.todo_id = ?", resolve_todo_id(snapshot.db, todo_id))
        else:
            chosen.add("t.lease_id = ?", lease_id)
        found = bare_todos(snapshot.db, chosen.where, chosen.values)
        if not found or found[0].lease is None:
            raise LeaseNotFoundError(
                f"there is no live lease {lease_id or f'on {todo_id}'}",
                hint="`loopx task-lease list` shows the live ones.",
                lease_id=lease_id,
                todo_id=todo_id,
            )
        lease = lease_answer(found[0].lease)
        return {"schema_version": LEASE_SCHEMA, "ok": True, "lease": lease, "state": snapshot.state}

    return project.read(query)


def list_leases(project: Project, goal_id: str | None, page: Page) -> Document:
    """The live leases, in the order of their todos."""

    def query(snapshot: Snapshot) -> Document:
        chosen = _live(snapshot)
        if goal_id is not None:
            chosen.add("t.goal_id = ?", snapshot.registry.goal(goal_id).goal_id)
        total = total_of(snapshot.db, "todos t", chosen)
        chosen.add("t.sequence > ?", page.after)
        where = f"{chosen.where} ORDER BY t.sequence LIMIT ?"
        found = bare_todos(snapshot.db, where, [*chosen.values, page.limit + 1])
        return {
            "schema_version": LEASE_SCHEMA,
            "ok": True,
            "leases": [lease_answer(todo.lease) for todo in found[: page.limit] if todo.lease],
            "total": total,
            **page_keys([todo.sequence for todo in found], len(found), page.limit),
            "state": snapshot.state,
        }

    return project.read(query)


def _live(snapshot: Snapshot) -> Filter:
    chosen = Filter()
    chosen.add(_BY_END, snapshot.now)
    return chosen
