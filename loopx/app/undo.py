"""`undo`: takes one operation back where nothing later builds on it, as an event of its own.

What an operation changed gets its former values; what it created cannot be unmade, because ids are never
reused, and is superseded without a replacement. Leases, tokens, runs, spends and the registry live outside
the graph too, so what was done to them is never taken back, only answered by another command.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.app.awaiting import until_done
from loopx.app.mutation import Call, Document, Outcome, Work, mutate
from loopx.app.todo_pause import refuse_new_cycles
from loopx.app.todo_view import seen
from loopx.contracts.record import record_of, todo_of
from loopx.contracts.todo_document import ID_LIST_LIMIT
from loopx.core.actor import ActorKind
from loopx.core.command import command
from loopx.core.errors import (
    ActionNotDelegatedError,
    OperationNotFoundError,
    UndoBlockedError,
    UndoImpossibleError,
)
from loopx.core.lifecycle import authorise, refuse_agents_on_gates, refuse_without_token, user_decision_required
from loopx.core.todo import Closure, Status
from loopx.store.later import (
    Deed,
    deeds_of,
    dependents_of_any,
    first_touch,
    first_woken,
    link_to,
    stored_row,
    undone_since,
    waiters_for,
)
from loopx.store.replay import KEYS, TODOS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from loopx.app.project import Project
    from loopx.core.todo import Todo

UNDO_SCHEMA = "undo_v1"
_SMALL = ("facts", "criteria_met", "lapses")  # small tables whose rows may come and go
_INSTEAD = {
    "registry": "edit the registry by the command that does the opposite",
    "claim_tokens": "give the lease back with `loopx task-lease release`, or the claim with `loopx todo release`",
    "runs": "record another run; what was reported stays in the history",
    "spends": "nothing: what was spent stays spent",
    "handoffs": "record another handoff; the newest to a receiver counts",
    "material_reads": "acknowledge the revision that was read",
    "material_revisions": "state the right revision with `loopx material ack`",
    "archive": "change the todo by its id, which brings it back",
    "messages": "send another message; what was said stays said",
    "plans": "submit another plan, which takes the place of this one",
    "workers": "end the worker with `loopx team shutdown`, or start it again",
    "origins": "supersede what was imported, or import the source again",
    "foreign_records": "supersede what was imported, or import the source again",
}
_LEASE_ACTIONS = "lease_"
_KEPT_COLUMNS = ("version", "lease_version", "attempts", "last_holder")  # they only rise, or tell what really was

Columns = dict[str, list[Any]]  # column → [before, after]


def undo(project: Project, call: Call, operation_id: str) -> Document:
    """Take the operation back.

    OperationNotFoundError; UndoImpossibleError for what lives outside the graph, with what to do instead;
    UndoBlockedError that names the first thing that builds on it; for an agent ActionNotDelegatedError on
    another's operation and UserDecisionRequiredError on a gate or where a required decision would go; and
    the refusals of held work.
    """

    def change(work: Work) -> Outcome:
        deed = _deed(work, operation_id)
        work.refuse_stranger()
        if deed.goal_id is not None:
            work.enter_goal(deed.goal_id)
        _refuse_impossible(deed)
        _refuse_another(work, deed)
        _refuse_built_upon(work, deed)
        todos = _taken_back(work, deed)
        body: Document = {
            "schema_version": UNDO_SCHEMA,
            "ok": True,
            "undone": {"operation_id": operation_id, "sequence": deed.sequence, "action": deed.action},
            "todos": [seen(work, todo) for todo in todos[:ID_LIST_LIMIT]],
            "todos_total": len(todos),
        }
        first = todos[0].todo_id if todos else None
        next_command = command("todo", "show", first) if first else command("log")
        return Outcome(body, first, next_command=next_command, notes=(("undone", body["undone"]),))

    return mutate(project, call, change)


# --- may it be ---------------------------------------------------------------------------


def _deed(work: Work, operation_id: str) -> Deed:
    deeds = deeds_of(work.tx.db, operation_id)
    if not deeds:
        raise OperationNotFoundError(
            f"no event belongs to an operation {operation_id!r}",
            hint="`loopx log` shows the operation id of each event.",
            operation_id=operation_id,
        )
    return deeds[-1]


def _refuse_impossible(deed: Deed) -> None:
    outside = [table for table in deed.changes if table not in (TODOS, *_SMALL)]
    if outside:
        raise _impossible(deed, f"it changed {outside[0]}", _INSTEAD.get(outside[0], "see `loopx log`"))
    if deed.action.startswith(_LEASE_ACTIONS):
        raise _impossible(deed, "a lease and its token were handed out", _INSTEAD["claim_tokens"])
    if deed.actor_kind == "system" or not deed.changes:
        raise _impossible(deed, "no one's change of the graph", "nothing; it states what had happened")


def _impossible(deed: Deed, fact: str, instead: str) -> UndoImpossibleError:
    return UndoImpossibleError(
        f"event {deed.sequence} ({deed.action}) cannot be undone: {fact}",
        hint=f"Instead: {instead}.",
        sequence=deed.sequence,
        action=deed.action,
    )


def _refuse_another(work: Work, deed: Deed) -> None:
    """An agent takes back what it did itself; a person may take back anything (W4.1)."""
    if work.actor.kind is ActorKind.AGENT and (deed.actor_kind, deed.actor) != ("agent", work.actor.agent_id):
        raise ActionNotDelegatedError(
            f"event {deed.sequence} ({deed.action}) was {deed.actor}'s and not {work.actor.agent_id}'s",
            hint="Ask the user, or whoever did it.",
            sequence=deed.sequence,
        )


def _refuse_built_upon(work: Work, deed: Deed) -> None:
    """UndoBlockedError where a later event touches a row, a new thing names a new todo, or freed work went on."""
    db = work.tx.db
    if deed.sequence in undone_since(db, deed.sequence):
        raise _blocked(deed, "it is undone already")
    for table, rows in deed.changes.items():
        touch = first_touch(db, table, rows, deed.sequence)
        if touch is not None:
            raise _blocked(deed, str(touch))
    rows = deed.changes.get(TODOS, {})
    created = [todo_id for todo_id, columns in rows.items() if _is_new(columns)]
    link = link_to(db, created, list(rows)) if created else None
    if link is not None:
        raise _blocked(deed, link)
    _refuse_freed_work(work, deed)


def _refuse_freed_work(work: Work, deed: Deed) -> None:
    closed = _closed_by(deed)
    freed = [todo_id for todo_id in dependents_of_any(work.tx.db, closed) if todo_id not in deed.changes[TODOS]]
    touch = first_touch(work.tx.db, TODOS, freed, deed.sequence) if freed else None
    for kind, ref in _conditions(deed):
        touch = touch or first_woken(work.tx.db, kind, ref, deed.sequence)
    if touch is not None:
        raise _blocked(deed, f"{touch}, which it freed")


def _blocked(deed: Deed, by: str) -> UndoBlockedError:
    return UndoBlockedError(
        f"event {deed.sequence} ({deed.action}) cannot be undone, something later builds on it: {by}",
        hint="Undo the later one first, or change the todo itself; `loopx log` tells the order.",
        sequence=deed.sequence,
        built_on_by=by,
    )


def _is_new(columns: Columns) -> bool:
    return "created_at" in columns


def _closed_by(deed: Deed) -> list[str]:
    """The todos that were open before and closed after."""
    rows = deed.changes.get(TODOS, {})
    return [todo_id for todo_id, columns in rows.items() if "closure" in columns and columns["closure"][0] is None]


def _conditions(deed: Deed) -> Iterator[tuple[str, str]]:
    """What resume conditions the operation has made true: kind and reference."""
    for todo_id in _closed_by(deed):
        yield "todo_done", todo_id
    for fact in deed.changes.get("facts", ()):
        kind, _, ref = fact.partition(":")
        yield kind, ref


# --- and so it is ------------------------------------------------------------------------


def _taken_back(work: Work, deed: Deed) -> list[Todo]:
    """The todos as they are then, in the order in which the operation changed them."""
    rows: dict[str, Columns] = deed.changes.get(TODOS, {})
    for table in _SMALL:
        for key, columns in deed.changes.get(table, {}).items():
            _restore_row(work, table, key, columns)
    for todo_id, columns in sorted(rows.items(), key=_turn):
        todo = work.tx.todo(todo_id)
        _refuse_hand(work, todo)
        work.tx.save(todo, _withdrawn(work, todo) if _is_new(columns) else _restored(work, todo, columns))
    _weigh_waiting(work, deed)
    return [work.tx.todo(todo_id) for todo_id in rows]


def _turn(row: tuple[str, Columns]) -> int:
    """What was closed opens first, since others wait for it again; what was created goes last."""
    _, columns = row
    return 2 if _is_new(columns) else 0 if "closure" in columns else 1


def _refuse_hand(work: Work, todo: Todo) -> None:
    hand = work.hand(todo)
    refuse_agents_on_gates(todo, hand, "undo what was done to a gate")
    if not todo.is_closed:
        refuse_without_token(todo, hand, work.now)
        authorise(todo, hand, None, work.now)


def _withdrawn(work: Work, todo: Todo) -> Todo:
    """A todo that should not have been: superseded by nothing, with its id for ever."""
    if todo.is_closed:
        return todo
    return todo._replace(
        status=Status.DEFERRED,
        closure=Closure.SUPERSEDED,
        closed_at=work.now,
        completion_rationale=work.call.reason or "its creation was undone",
        resume=None,
        lease=None,
    )


def _restored(work: Work, todo: Todo, columns: Columns) -> Todo:
    """The todo with its former values; a lease that ended meanwhile stays ended, and the claim tied to it."""
    former = {name: before for name, (before, _) in columns.items() if name not in _KEPT_COLUMNS}
    if former.get("lease_id") is not None:
        tied = former.get("claim_expires_at", todo.claim and todo.claim.expires_at) == former["lease_expires_at"]
        gone = ("lease_", "claim_token") if not tied else ("lease_", "claim")
        former = {name: value for name, value in former.items() if not name.startswith(gone)}
        if tied:
            former |= {"claimed_by": None, "claimed_at": None, "claim_expires_at": None}
    after = todo_of({**record_of(todo), **former})
    _refuse_weaker(work, todo, after)
    refuse_new_cycles(work, todo, after.blocked_by)
    if after.resume is not None and after.resume != todo.resume and after.resume.kind == "todo_done":
        after = after._replace(resume=until_done(work, after.resume.ref, todo.todo_id))
    return after


def _refuse_weaker(work: Work, before: Todo, after: Todo) -> None:
    """An agent lifts no decision that a person owes, on whatever way (W6.9)."""
    lifted = set(before.route.required_decision_scopes) - set(after.route.required_decision_scopes)
    if lifted and work.actor.kind is ActorKind.AGENT:
        raise user_decision_required(before, "remove a required decision scope")


def _restore_row(work: Work, table: str, key: str, columns: Columns) -> None:
    names = KEYS[table]
    values = key.split(" ", len(names) - 1)
    if all(before is None for before, _ in columns.values()):
        work.tx.take(table, names, values)
        return
    former = {name: before for name, (before, _) in columns.items()}
    gone = all(after is None for _, after in columns.values())
    present = dict(zip(names, values, strict=True)) if gone else stored_row(work.tx.db, table, names, values)
    work.tx.put(table, names, {**present, **former})


def _weigh_waiting(work: Work, deed: Deed) -> None:
    """What waited for a todo that is open again waits again, and so does what slept for a fact."""
    waiting = dependents_of_any(work.tx.db, _closed_by(deed))
    for kind, ref in _conditions(deed):
        waiting += waiters_for(work.tx.db, kind, ref)
    for todo_id in dict.fromkeys(waiting):
        work.tx.weigh_again(todo_id)
