"""Claiming one named task the work-stealing way: claim, lease and fresh token in one transaction (S2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.claim_next import CLAIM_SCHEMA, Wish
from loopx.app.held import refuse_unready
from loopx.app.lease import grant_lease, new_lease, refuse_unleasable
from loopx.app.lease_scope import requested_scopes
from loopx.app.mutation import Call, Document, Outcome, Work, mutate
from loopx.app.place import needed_workspace
from loopx.app.todo_new import todo_in_goal
from loopx.app.wake import reopened_if_awake
from loopx.contracts.todo_document import lease_document, task_document
from loopx.core.command import command
from loopx.core.decision.examine import Examination
from loopx.core.decision.next_command import next_command
from loopx.core.decision.snapshot import Caller
from loopx.core.errors import ActorRequiredError, TodoBlockedError, TodoInvalidError
from loopx.core.instant import format_instant
from loopx.core.todo import Claim, TaskClass
from loopx.store.database import project_id
from loopx.store.snapshot import load_snapshot, read_cohort_of

if TYPE_CHECKING:
    from loopx.app.project import Project
    from loopx.core.todo import Todo


def claim_task(project: Project, call: Call, todo_id: str, wish: Wish) -> Document:
    """Take this task, as claim-next would take the best one; nothing that claim-next would skip.

    LeaseConflictError where another holds it, LeaseScopeConflictError where a live lease writes the same paths,
    GateOpenError, TodoBlockedError with the reason code for what is not ready for this worker.
    """

    def change(work: Work) -> Outcome:
        agent_id = work.actor.agent_id
        if agent_id is None:
            raise ActorRequiredError("a task is claimed by an agent", hint="Say who with --agent-id.")
        todo_in_one_goal = todo_in_goal(work, todo_id)
        work.refuse_pause()
        todo = reopened_if_awake(work, work.tx.todo(todo_in_one_goal))
        _refuse_untakeable(work, todo, agent_id, wish)
        return _taken(work, todo, agent_id, wish)

    return mutate(project, call, change)


def _refuse_untakeable(work: Work, todo: Todo, agent_id: str, wish: Wish) -> None:
    """The refusals that every door to a lease shares, then whatever else the decision has against it."""
    refuse_unleasable(work, todo, agent_id)
    if todo.task_class is not TaskClass.ADVANCEMENT:
        raise TodoInvalidError(
            f"{todo.todo_id} is a {todo.task_class}; only an advancement_task is claimed as work",
            hint=f"`loopx todo show {todo.todo_id}` says what it waits for.",
            todo_id=todo.todo_id,
        )
    refuse_unready(work, todo)
    requested_scopes(work, todo, None, ())
    _refuse_unrunnable(work, todo, agent_id, wish)


def _refuse_unrunnable(work: Work, todo: Todo, agent_id: str, wish: Wish) -> None:
    """TodoBlockedError with the first stage that drops the task for this worker (W7.3)."""
    snapshot = load_snapshot(work.tx.db, work.goal, now=work.now, state=project_id(work.tx.db))
    caller = Caller(agent_id, wish.capabilities, needed_workspace(snapshot, wish.folder))
    examination = Examination(snapshot, caller, work.now)
    found = examination.finding(read_cohort_of(work.tx.db, work.goal, todo, now=work.now))
    if not found.drops:
        return
    drop = found.drops[0]
    raise TodoBlockedError(
        f"{todo.todo_id} is not runnable for {agent_id} ({drop.reason_code})",
        hint=f"See `{next_command(examination.case, found, drop)}`.",
        todo_id=todo.todo_id,
        reason_code=drop.reason_code.value,
        **drop.facts,
    )


def _taken(work: Work, todo: Todo, agent_id: str, wish: Wish) -> Outcome:
    lease = new_lease(work, todo, agent_id, wish.ttl)
    taken = grant_lease(work, todo, lease, Claim(agent_id, work.now, lease.expires_at))
    body: Document = {
        "schema_version": CLAIM_SCHEMA,
        "ok": True,
        "claim": {
            "task": task_document(taken, work.now),
            "claim_token": lease.claim_token,
            "lease_expires_at_utc": format_instant(lease.expires_at),
            "lease": lease_document(lease),
        },
        "reason": None,
        "skipped": [],
    }
    return Outcome(body, todo.todo_id, next_command=command("todo", "show", todo.todo_id))
