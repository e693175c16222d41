"""Explicit leases: acquire, renew, transfer, release (W5). Renewing is the heartbeat."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.held import refuse_unready
from loopx.app.lease_scope import pool_place, requested_scopes
from loopx.app.mutation import Call, Document, Outcome, Work, mutate
from loopx.app.plan_gate import refuse_unapproved_plan
from loopx.app.todo_new import agent, todo_in_goal
from loopx.app.wake import reopened_if_awake
from loopx.contracts.todo_document import lease_answer
from loopx.core.command import command
from loopx.core.errors import (
    ActorRequiredError,
    AlreadyDoneError,
    ClaimMismatchError,
    LeaseConflictError,
    LeaseExpiredError,
    LeaseNotFoundError,
    TodoInvalidError,
    VersionConflictError,
)
from loopx.core.instant import MINUTE, Duration, format_instant
from loopx.core.lifecycle import is_claim_tied, refuse_ineligible, refuse_unless_open
from loopx.core.text import natural_number
from loopx.core.todo import Claim, Lease, Role
from loopx.core.value import Value
from loopx.store.todos import ID_PREFIX, find_todo

if TYPE_CHECKING:
    from loopx.app.project import Project
    from loopx.core.instant import Instant
    from loopx.core.todo import Todo

LEASE_SCHEMA = "task_lease_v0"
LEASE_PREFIX = "lease_"  # then the letters of the todo's id and the version with which the lease begins
DEFAULT_TTL: Duration = 15 * MINUTE


class LeaseRequest(Value):
    """What `task-lease acquire` takes."""

    todo_id: str
    ttl: Duration = DEFAULT_TTL
    write_scopes: tuple[str, ...] = ()
    repository: str | None = None
    pool: str | None = None


class LeaseStep(Value):
    """Which lease a holder moves, and the version it believes in."""

    lease_id: str
    expect_version: int | None = None
    ttl: Duration | None = None
    to: str | None = None


def acquire_lease(project: Project, call: Call, request: LeaseRequest) -> Document:
    """Take a todo for a time; the soft claim is not touched (W5.1, W5.2).

    LeaseConflictError where another holds or soft-claims it, LeaseScopeConflictError where a live
    lease writes the same paths, GateOpenError and TodoBlockedError for work that is not ready.
    """

    def change(work: Work) -> Outcome:
        holder = _acting_agent(work)
        todo_id = todo_in_goal(work, request.todo_id)
        work.refuse_pause()
        todo = reopened_if_awake(work, work.tx.todo(todo_id))
        refuse_unleasable(work, todo, holder)
        refuse_unready(work, todo)
        repository, scopes = requested_scopes(work, todo, request.repository, request.write_scopes)
        pool = pool_place(work, request.pool)
        lease = new_lease(work, todo, holder, request.ttl)._replace(
            repository=repository, write_scopes=scopes, pool=pool
        )
        leased = grant_lease(work, todo, lease)
        return _answer(leased, work.now, next_command=_renew_command(lease), shows_token=True)

    return mutate(project, call, change)


def renew_lease(project: Project, call: Call, step: LeaseStep) -> Document:
    """Keep a lease alive for the time to live from now on, by default never shorter; the version rises.

    LeaseExpiredError, VersionConflictError; a holder whose work was settled or taken learns it here
    (S4.11): AlreadyDoneError, TodoNotOpenError, ClaimMismatchError.
    """

    def change(work: Work) -> Outcome:
        todo, lease = _held(work, step)
        renewed = lease._replace(version=lease.version + 1, expires_at=_new_end(lease, step.ttl, work.now))
        after = work.tx.save(todo, _with_lease(todo, renewed, work.now))
        return _answer(after, work.now, next_command=_renew_command(renewed), shows_token=True)

    return mutate(project, call, change)


def _new_end(lease: Lease, ttl: Duration | None, now: Instant) -> Instant:
    return max(lease.expires_at, now + DEFAULT_TTL) if ttl is None else now + ttl


def transfer_lease(project: Project, call: Call, step: LeaseStep) -> Document:
    """Hand a lease on; it keeps its remaining time unless a TTL is given (W5.5), and gets a new token."""

    def change(work: Work) -> Outcome:
        todo, lease = _held(work, step)
        receiver = agent(work, step.to)
        assert receiver is not None
        refuse_ineligible(todo, receiver)
        end = _new_end(lease, step.ttl, work.now) if step.ttl else lease.expires_at
        token = work.tx.tokens.token()
        moved = lease._replace(holder=receiver, version=lease.version + 1, claim_token=token, expires_at=end)
        work.tx.issue_token(moved)
        work.tx.forgive_lapse(todo, receiver)
        after = work.tx.save(todo, _with_lease(todo, moved, work.now))
        return _answer(after, work.now, next_command=_renew_command(moved))

    return mutate(project, call, change)


def release_lease(project: Project, call: Call, step: LeaseStep) -> Document:
    """Give a lease back; what claim-next claimed with it becomes free too."""

    def change(work: Work) -> Outcome:
        todo, lease = _held(work, step)
        claim = None if is_claim_tied(todo) else todo.claim
        work.tx.save(todo, todo._replace(lease=None, claim=claim, lease_version=lease.version + 1))
        ended = lease._replace(version=lease.version + 1, expires_at=work.now)
        body: Document = {
            "schema_version": LEASE_SCHEMA,
            "ok": True,
            "lease": lease_answer(ended, released=True),
        }
        return Outcome(body, todo.todo_id, next_command=command("todo", "show", todo.todo_id))

    return mutate(project, call, change)


def refuse_unleasable(work: Work, todo: Todo, holder: str) -> None:
    """The refusals that every door to a lease shares (W5.3)."""
    if todo.role is Role.USER:
        raise TodoInvalidError(
            f"{todo.todo_id} is a {todo.task_class} for a person",
            hint="Take an agent todo.",
            todo_id=todo.todo_id,
        )
    refuse_unless_open(todo)
    refuse_ineligible(todo, holder)
    lease = todo.live_lease(work.now)
    if lease is not None:
        raise LeaseConflictError(
            f"{todo.todo_id} is leased by {lease.holder} until {format_instant(lease.expires_at)}",
            hint="Take other work, or wait for that instant.",
            todo_id=todo.todo_id,
            holder=lease.holder,
        )
    claim = todo.claim
    if claim is not None and claim.agent_id != holder and claim.counts(work.now, work.active_agents):
        raise LeaseConflictError(
            f"{todo.todo_id} is claimed by {claim.agent_id}",
            hint=f"Ask {claim.agent_id} to release it, or take other work.",
            todo_id=todo.todo_id,
            holder=claim.agent_id,
        )


def new_lease(work: Work, todo: Todo, holder: str, ttl: Duration) -> Lease:
    """A lease from now on, with a fresh token, the next version (they only rise) and the todo's own scopes."""
    return Lease(
        lease_id=f"{LEASE_PREFIX}{todo.todo_id.removeprefix(ID_PREFIX)}_{todo.lease_version + 1}",
        todo_id=todo.todo_id,
        holder=holder,
        version=todo.lease_version + 1,
        acquired_at=work.now,
        expires_at=work.now + ttl,
        claim_token=work.tx.tokens.token(),
        repository=todo.route.task_repository,
        write_scopes=todo.route.required_write_scopes,
    )


def grant_lease(work: Work, todo: Todo, lease: Lease, claim: Claim | None = None) -> Todo:
    """The one guarded transition by which a todo comes under a lease, whatever the door. PlanNotApprovedError."""
    refuse_unapproved_plan(work, lease.holder)
    work.tx.issue_token(lease)
    work.tx.forgive_lapse(todo, lease.holder)
    return work.tx.save(todo, todo._replace(lease=lease, lease_version=lease.version, claim=claim or todo.claim))


def _with_lease(todo: Todo, lease: Lease, now: Instant) -> Todo:
    """The todo under the moved lease. A claim goes with it to another holder, and ends with it if it was tied to it."""
    claim, before, tied = todo.claim, todo.lease, is_claim_tied(todo)
    if claim is not None and before is not None and before.holder != lease.holder:
        claim = Claim(lease.holder, now, lease.expires_at if tied else max(lease.expires_at, claim.expires_at))
    elif claim is not None and tied:
        claim = claim._replace(expires_at=lease.expires_at)
    return todo._replace(lease=lease, lease_version=lease.version, claim=claim)


def _held(work: Work, step: LeaseStep) -> tuple[Todo, Lease]:
    """The todo and the live lease that the caller holds at the version it expects."""
    holder = _acting_agent(work)
    todo = _todo_of_lease(work, step.lease_id)
    lease = todo.lease
    if lease is None or lease.lease_id != step.lease_id:
        raise _gone(work, todo, step, holder)
    if lease.holder != holder:
        raise ClaimMismatchError(
            f"{step.lease_id} is held by {lease.holder}, not by {holder}",
            hint="Only its holder moves a lease.",
            todo_id=todo.todo_id,
            holder=lease.holder,
        )
    if not lease.is_live(work.now):
        raise _lapsed(todo, step)
    if step.expect_version not in (None, lease.version):
        raise VersionConflictError(
            f"{step.lease_id} is at version {lease.version}, not {step.expect_version}",
            hint="Read it again with `loopx task-lease show`; somebody renewed it.",
            lease_id=step.lease_id,
            version=lease.version,
        )
    return todo, lease


def _todo_of_lease(work: Work, lease_id: str) -> Todo:
    todo = _named_by(work, lease_id) or _todo_of_old_lease(work, lease_id)
    if todo is None:
        raise LeaseNotFoundError(
            f"there is no lease {lease_id}",
            hint="`loopx task-lease list` shows the live ones.",
            lease_id=lease_id,
        )
    work.enter_goal(todo.goal_id)
    return todo


def _named_by(work: Work, lease_id: str) -> Todo | None:
    """The todo whose id is in the lease's, where it has had as many leases."""
    letters, _, version = lease_id.removeprefix(LEASE_PREFIX).rpartition("_")
    todo = find_todo(work.tx.db, ID_PREFIX + letters)
    is_past = todo is not None and 1 <= (natural_number(version) or 0) <= todo.lease_version
    return todo if is_past else None


def _todo_of_old_lease(work: Work, lease_id: str) -> Todo | None:
    row = work.tx.db.execute(_OLD_LEASE, (lease_id,)).fetchone()
    return work.tx.todo(row[0]) if row is not None else None


_OLD_LEASE = "SELECT todo_id FROM claim_tokens WHERE length(lease_id) = 16 AND lease_id = ?"


def _gone(work: Work, todo: Todo, step: LeaseStep, holder: str) -> Exception:
    """Why the lease is no longer there: the work was settled, ran out, was taken, or was given back."""
    if todo.closure is not None and not work.tx.has_lapsed(todo, holder):
        return AlreadyDoneError(
            f"{todo.todo_id} was settled ({todo.closure}); stop at a safe point",
            hint="Report what you have; nothing more is written for this lease.",
            todo_id=todo.todo_id,
            closure=todo.closure,
        )
    return _lapsed(todo, step)


def _lapsed(todo: Todo, step: LeaseStep) -> LeaseExpiredError:
    return LeaseExpiredError(
        f"the lease {step.lease_id} on {todo.todo_id} is over",
        hint=f"Stop at a safe point, and claim {todo.todo_id} again before you go on.",
        todo_id=todo.todo_id,
        lease_id=step.lease_id,
    )


def _acting_agent(work: Work) -> str:
    if work.actor.agent_id is None:
        raise ActorRequiredError("a lease is held by an agent", hint="Say who with --agent-id.")
    return work.actor.agent_id


def _answer(todo: Todo, now: Instant, *, next_command: str, shows_token: bool = False) -> Outcome:
    lease = todo.live_lease(now)
    assert lease is not None
    body: Document = {
        "schema_version": LEASE_SCHEMA,
        "ok": True,
        "lease": lease_answer(lease, shows_token=shows_token),
    }
    return Outcome(body, todo.todo_id, next_command=next_command)


def _renew_command(lease: Lease) -> str:
    return command(
        "task-lease", "renew", "--lease-id", lease.lease_id, "--agent-id", lease.holder,
        "--expect-version", str(lease.version),
    )  # fmt: skip
