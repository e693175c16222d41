"""`todo claim-next`: the first ready todo, claimed, leased and tokened in one transaction (S2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.lease import DEFAULT_TTL, grant_lease, new_lease
from loopx.app.lease_scope import scope_conflict, writing_leases
from loopx.app.mutation import Call, Document, Outcome, Work, mutate
from loopx.app.place import needed_workspace
from loopx.app.wake import reopened_if_awake
from loopx.contracts.todo_document import lease_document, task_document
from loopx.core.capability import missing_capabilities
from loopx.core.command import command
from loopx.core.decision.compile import compile_decision
from loopx.core.decision.examine import Examination
from loopx.core.decision.reason import Mode, ReasonCode
from loopx.core.decision.snapshot import Caller
from loopx.core.errors import ActorRequiredError, LeaseScopeConflictError
from loopx.core.instant import Duration
from loopx.core.todo import Claim
from loopx.core.value import Value
from loopx.store.database import project_id
from loopx.store.snapshot import load_snapshot, load_takeable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from loopx.app.project import Project
    from loopx.core.decision.decision import HeldRow
    from loopx.core.decision.snapshot import Snapshot
    from loopx.core.instant import Instant
    from loopx.core.todo import Lease, Todo

CLAIM_SCHEMA = "claim_next_v1"
SKIPPED_LIMIT = 3


class Wish(Value):
    """What the asking worker brings."""

    ttl: Duration = DEFAULT_TTL
    capabilities: tuple[str, ...] | None = None
    folder: str | None = None


def claim_next(project: Project, call: Call, wish: Wish) -> Document:
    """Take the best runnable todo that nobody leases, the caller included, and whose paths nobody holds.

    A due monitor keeps nobody from work: polling is another verb. `claim` is null, with the reason and
    what was skipped, where there is none (S2.2). PlanNotApprovedError where there is one and the caller's
    newest plan waits for its answer.
    """
    return mutate(project, call, lambda work: take_next(work, wish))


def take_next(work: Work, wish: Wish) -> Outcome:
    """What `claim_next` does, inside an open mutation."""
    agent_id = work.actor.agent_id
    if agent_id is None:
        raise ActorRequiredError("claim-next is asked by an agent", hint="Say who with --agent-id.")
    db, goal = work.tx.db, work.goal
    takeable = _examination(work, agent_id, wish, load_takeable(db, goal, now=work.now))
    todo, conflicts = _first_free(work, takeable)
    if todo is not None:
        return _taken(work, work.tx.whole(todo), agent_id, wish.ttl)
    whole = load_snapshot(db, goal, now=work.now, state=project_id(db))
    return _nothing(work, _examination(work, agent_id, wish, whole), conflicts)


def _examination(work: Work, agent_id: str, wish: Wish, snapshot: Snapshot) -> Examination:
    caller = Caller(agent_id, wish.capabilities, needed_workspace(snapshot, wish.folder))
    return Examination(snapshot, caller, work.now)


class Conflict(Value):
    """A ready todo, and the lease that already holds a path that it would write."""

    todo_id: str
    refusal: LeaseScopeConflictError


def _first_free(work: Work, examination: Examination) -> tuple[Todo | None, list[Conflict]]:
    """The todo to take, if there is one, and those before it whose paths a live lease holds."""
    conflicts: list[Conflict] = []
    held: tuple[Lease, ...] | None = None
    for todo in _unleased(examination, work.now):
        scopes = todo.route.required_write_scopes
        if not scopes:
            return todo, conflicts
        held = writing_leases(work) if held is None else held
        refusal = scope_conflict(held, todo.todo_id, todo.route.task_repository, scopes)
        if refusal is None:
            return todo, conflicts
        conflicts.append(Conflict(todo.todo_id, refusal))
    return None, conflicts


def _unleased(examination: Examination, now: Instant) -> Iterator[Todo]:
    """The best member without a live lease of each runnable cohort: the others write the same paths."""
    for finding in examination.survey.works:
        for member in finding.cohort.members:
            if member.live_lease(now) is None:
                yield member
                break


def _taken(work: Work, todo: Todo, agent_id: str, ttl: Duration) -> Outcome:
    todo = reopened_if_awake(work, todo)
    lease = new_lease(work, todo, agent_id, ttl)
    claim = Claim(agent_id, work.now, lease.expires_at)
    taken = grant_lease(work, todo, lease, claim)
    shown = lease_document(lease)
    body: Document = {
        "schema_version": CLAIM_SCHEMA,
        "ok": True,
        "claim": {
            "task": task_document(taken, work.now),
            "claim_token": lease.claim_token,
            "lease_expires_at_utc": shown["expires_at"],
            "lease": shown,
        },
        "reason": None,
        "skipped": [],
    }
    return Outcome(body, todo.todo_id, next_command=_complete_command(taken, lease.claim_token, agent_id))


def _nothing(work: Work, examination: Examination, conflicts: list[Conflict]) -> Outcome:
    decision = compile_decision(examination.case.snapshot, examination.case.caller, work.now)
    reason = decision.reason
    if conflicts:
        reason = conflicts[0].refusal.message
    elif decision.mode is Mode.BOUNDED_DELIVERY:
        reason = "you lease all that is runnable for you already"
    skipped = [_met(conflict) for conflict in conflicts]
    skipped += [_held(work, examination, row) for row in decision.blocking]
    body: Document = {
        "schema_version": CLAIM_SCHEMA,
        "ok": True,
        "claim": None,
        "reason": reason,
        "mode": decision.mode.value,
        "skipped": skipped[:SKIPPED_LIMIT],
        "skipped_total": len(conflicts) + decision.blocking_total,
    }
    return Outcome(body, records=False)


def _met(conflict: Conflict) -> Document:
    holding = str(conflict.refusal.details["todo_id"])
    return {
        "todo_id": conflict.todo_id,
        "reason_code": conflict.refusal.code,
        "next_command": command("task-lease", "show", "--todo-id", holding),
    }


def _held(work: Work, examination: Examination, row: HeldRow) -> Document:
    """A row of the decision, with the capabilities that the caller lacks where they are the reason."""
    document: Document = {"todo_id": row.todo_id, "reason_code": row.reason_code.value}
    if row.reason_code in (ReasonCode.CAPABILITY_MISSING, ReasonCode.AUTHORITY_MISSING):
        required = work.tx.todo(row.todo_id).route.required_capabilities
        document["missing"] = list(missing_capabilities(required, examination.case.capabilities))
    return {**document, "next_command": row.next_command}


def _complete_command(todo: Todo, token: str, agent_id: str) -> str:
    return command(
        "todo", "complete", "--goal-id", todo.goal_id, "--todo-id", todo.todo_id, "--claimed-by", agent_id,
        "--claim-token", token, "--evidence", "-",
    )  # fmt: skip
