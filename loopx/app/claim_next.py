"""`todo claim-next`: the first ready todo, claimed, leased and tokened in one transaction (S2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.lease import DEFAULT_TTL, grant_lease, new_lease
from loopx.app.mutation import Call, Document, Outcome, Work, mutate
from loopx.app.place import needed_workspace
from loopx.app.wake import reopened_if_awake
from loopx.contracts.todo_document import lease_answer, task_document
from loopx.core.command import command
from loopx.core.decision.compile import compile_decision
from loopx.core.decision.examine import Examination
from loopx.core.decision.reason import Mode
from loopx.core.decision.snapshot import Caller
from loopx.core.errors import ActorRequiredError
from loopx.core.instant import Duration, format_instant
from loopx.core.todo import Claim
from loopx.core.value import Value
from loopx.store.database import project_id
from loopx.store.snapshot import load_snapshot

if TYPE_CHECKING:
    from loopx.app.project import Project
    from loopx.core.decision.snapshot import Snapshot
    from loopx.core.todo import Todo

CLAIM_SCHEMA = "claim_next_v1"
SKIPPED_LIMIT = 3


class Wish(Value):
    """What the asking worker brings."""

    ttl: Duration = DEFAULT_TTL
    capabilities: tuple[str, ...] | None = None
    folder: str | None = None


def claim_next(project: Project, call: Call, wish: Wish) -> Document:
    """Take the best todo that the decision would deliver and that nobody leases, the caller included.

    `claim` is null, with the reason and what was skipped, where there is none (S2.2).
    """

    def change(work: Work) -> Outcome:
        agent_id = work.actor.agent_id
        if agent_id is None:
            raise ActorRequiredError("claim-next is asked by an agent", hint="Say who with --agent-id.")
        snapshot = load_snapshot(work.tx.db, work.goal, now=work.now, state=project_id(work.tx.db))
        caller = Caller(agent_id, wish.capabilities, needed_workspace(snapshot, wish.folder))
        examination = Examination(snapshot, caller, work.now)
        todo = _first_unleased(work, examination)
        if todo is None:
            return _nothing(work, snapshot, caller)
        return _taken(work, work.tx.todo(todo.todo_id), agent_id, wish.ttl)

    return mutate(project, call, change)


def _first_unleased(work: Work, examination: Examination) -> Todo | None:
    """The best runnable todo without a live lease, if delivery is what the decision says now."""
    if examination.verdict().mode is not Mode.BOUNDED_DELIVERY:
        return None
    for finding in examination.survey.works:
        for member in finding.cohort.members:
            if member.live_lease(work.now) is None:
                return member
    return None


def _taken(work: Work, todo: Todo, agent_id: str, ttl: Duration) -> Outcome:
    todo = reopened_if_awake(work, todo)
    lease = new_lease(work, todo, agent_id, ttl)
    claim = Claim(agent_id, work.now, lease.expires_at)
    taken = grant_lease(work, todo, lease, claim)
    body: Document = {
        "schema_version": CLAIM_SCHEMA,
        "ok": True,
        "claim": {
            "task": task_document(taken, work.now),
            "claim_token": lease.claim_token,
            "lease_expires_at_utc": format_instant(lease.expires_at),
            "lease": lease_answer(lease),
        },
        "reason": None,
        "skipped": [],
    }
    return Outcome(body, todo.todo_id, next_command=_complete_command(taken, lease.claim_token, agent_id))


def _nothing(work: Work, snapshot: Snapshot, caller: Caller) -> Outcome:
    decision = compile_decision(snapshot, caller, work.now)
    skipped = [
        {"todo_id": row.todo_id, "reason_code": row.reason_code.value, "next_command": row.next_command}
        for row in decision.blocking[:SKIPPED_LIMIT]
    ]
    reason = decision.reason
    if decision.mode is Mode.BOUNDED_DELIVERY:
        reason = "you lease all that is runnable for you already"
    body: Document = {
        "schema_version": CLAIM_SCHEMA,
        "ok": True,
        "claim": None,
        "reason": reason,
        "mode": decision.mode.value,
        "skipped": skipped,
        "skipped_total": decision.blocking_total,
    }
    follow = command("quota", "should-run", "--goal-id", work.goal.goal_id, "--agent-id", caller.agent_id)
    return Outcome(body, next_command=follow, records=False)


def _complete_command(todo: Todo, token: str, agent_id: str) -> str:
    return command(
        "todo", "complete", "--goal-id", todo.goal_id, "--todo-id", todo.todo_id, "--claimed-by", agent_id,
        "--claim-token", token, "--evidence", "-",
    )  # fmt: skip
