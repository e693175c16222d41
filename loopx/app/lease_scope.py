"""What a lease takes beside its todo: write scopes of a repository, a place in a pool (W5.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.project import near
from loopx.app.todo_new import write_scopes
from loopx.core.errors import LeaseConflictError, LeaseScopeConflictError, UsageError
from loopx.core.repository import parse_repository
from loopx.store.resume import pools_with_room
from loopx.store.todos import bare_todos

if TYPE_CHECKING:
    from loopx.app.mutation import Work
    from loopx.core.todo import Todo

_LIVE = "WHERE t.lease_id IS NOT NULL AND t.lease_expires_at > ? AND t.lease_write_scopes <> '[]' ORDER BY t.sequence"


def requested_scopes(
    work: Work, todo: Todo, repository: str | None, given: tuple[str, ...]
) -> tuple[str | None, tuple[str, ...]]:
    """The repository and scopes that the lease takes: the given ones, otherwise the todo's own.

    LeaseScopeConflictError where a live lease could write a path that these could write too.
    """
    place = parse_repository(repository) if repository else todo.route.task_repository
    scopes = write_scopes(given) or todo.route.required_write_scopes
    for other in bare_todos(work.tx.db, _LIVE, (work.now,)) if scopes else ():
        _refuse_overlap(todo, place, scopes, other)
    return place, scopes


def _refuse_overlap(todo: Todo, place: str | None, scopes: tuple[str, ...], other: Todo) -> None:
    from loopx.core.glob import globs_intersect

    lease = other.lease
    if lease is None or lease.repository != place or other.todo_id == todo.todo_id:
        return
    for mine in scopes:
        for theirs in lease.write_scopes:
            if globs_intersect(mine, theirs):
                raise LeaseScopeConflictError(
                    f"{mine!r} and {theirs!r}, which {lease.holder} holds for {other.todo_id}, can meet in one path",
                    hint="Take a narrower --write-scope, or wait until that lease ends.",
                    write_scope=mine,
                    held_scope=theirs,
                    holder=lease.holder,
                    todo_id=other.todo_id,
                )


def pool_place(work: Work, name: str | None) -> str | None:
    """The pool, if it has a free place; LeaseConflictError, UsageError for an unknown one."""
    if name is None:
        return None
    known = tuple(pool.name for pool in work.goal.pools)
    if name not in known:
        raise UsageError(
            f"{work.goal.goal_id} has no pool {name!r}{near(name, known)}",
            hint="`loopx pool list` shows the pools.",
        )
    if name not in pools_with_room(work.tx.db, work.goal, work.now):
        raise LeaseConflictError(
            f"every place of the pool {name} is leased", hint="Wait until one is released.", pool=name
        )
    return name
