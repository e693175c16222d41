"""What a lease takes beside its todo: write scopes of a repository, a place in a pool (W5.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.project import near
from loopx.app.todo_new import write_scopes
from loopx.core.errors import LeaseConflictError, LeaseScopeConflictError, UsageError
from loopx.core.name import normalise_name
from loopx.core.repository import parse_repository
from loopx.store.resume import pools_with_room
from loopx.store.todos import bare_todos

if TYPE_CHECKING:
    from collections.abc import Sequence

    from loopx.app.mutation import Work
    from loopx.core.todo import Lease, Todo

_LIVE = (
    "WHERE t.sequence IN (SELECT sequence FROM todos WHERE lease_id IS NOT NULL AND lease_expires_at > ?"
    " AND lease_write_scopes <> '[]') ORDER BY t.sequence"
)


def requested_scopes(
    work: Work, todo: Todo, repository: str | None, given: tuple[str, ...]
) -> tuple[str | None, tuple[str, ...]]:
    """The repository and scopes that a lease takes: the given ones, otherwise the todo's own (W5.5).

    LeaseScopeConflictError where a live lease could write a path that these could write too.
    """
    place = parse_repository(repository) if repository else todo.route.task_repository
    scopes = write_scopes(given) or todo.route.required_write_scopes
    conflict = scope_conflict(writing_leases(work), todo.todo_id, place, scopes) if scopes else None
    if conflict is not None:
        raise conflict
    return place, scopes


def writing_leases(work: Work) -> tuple[Lease, ...]:
    """The live leases that hold write scopes, of every goal."""
    return tuple(todo.lease for todo in bare_todos(work.tx.db, _LIVE, (work.now,)) if todo.lease)


def scope_conflict(
    held: Sequence[Lease], todo_id: str, place: str | None, scopes: Sequence[str]
) -> LeaseScopeConflictError | None:
    """The refusal that the first of these leases means for such scopes; None where nothing can meet."""
    from loopx.core.glob import globs_intersect

    for lease in held:
        if lease.todo_id == todo_id or not _may_be_one(lease.repository, place):
            continue
        for mine in scopes:
            for theirs in lease.write_scopes:
                if globs_intersect(mine, theirs):
                    return _conflict(lease, mine, theirs)
    return None


def _conflict(lease: Lease, mine: str, theirs: str) -> LeaseScopeConflictError:
    return LeaseScopeConflictError(
        f"{mine!r} and {theirs!r}, which {lease.holder} holds for {lease.todo_id}, can meet in one path",
        hint="Take a narrower --write-scope, or wait until that lease ends.",
        write_scope=mine,
        held_scope=theirs,
        holder=lease.holder,
        todo_id=lease.todo_id,
    )


def _may_be_one(held: str | None, wanted: str | None) -> bool:
    """Whether both could be the same repository; one that is not named could be any."""
    return held is None or wanted is None or held == wanted


def pool_place(work: Work, name: str | None) -> str | None:
    """The pool, if it has a free place; LeaseConflictError, UsageError for an unknown one."""
    if name is None:
        return None
    name = normalise_name(name, what="pool")
    known = tuple(pool.name for pool in work.goal.pools)
    if name not in known:
        raise UsageError(
            f"{work.goal.goal_id} has no pool {name!r}{near(name, known)}",
            hint=f"`loopx pool list --goal-id {work.goal.goal_id}` shows the pools.",
        )
    if name not in pools_with_room(work.tx.db, work.goal, work.now):
        raise LeaseConflictError(
            f"every place of the pool {name} is leased", hint="Wait until one is released.", pool=name
        )
    return name
