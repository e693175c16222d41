"""A todo on the wire: brief in answers and lists, full in `show`, and in the work-stealing spelling."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.core.instant import SECOND, format_instant
from loopx.core.peers import select_peer_for_work
from loopx.core.text import BRIEF_BYTES, cut, first_line
from loopx.core.todo import Gate, Role, Status, Todo

if TYPE_CHECKING:
    from collections.abc import Sequence

    from loopx.core.instant import Instant
    from loopx.core.todo import Decision, Lease

SUBJECT_BYTES = 120
DESCRIPTION_BYTES = 300  # of a claimed task; `show` has the whole text
ID_LIST_LIMIT = 20

Document = dict[str, Any]


def brief_todo(todo: Todo) -> Document:
    """What a mutation or a list says of a todo."""
    text, truncated = cut(todo.text, BRIEF_BYTES)
    document: Document = {
        "todo_id": todo.todo_id,
        "goal_id": todo.goal_id,
        "sequence": todo.sequence,
        "status": todo.status.value,
        "closure": todo.closure.value if todo.closure else None,
        "task_class": todo.task_class.value,
        "priority": priority_name(todo.priority),
        "claimed_by": todo.claim.agent_id if todo.claim else None,
        "claim_expires_at": format_instant(todo.claim.expires_at) if todo.claim and not todo.is_closed else None,
        "text": text,
    }
    if truncated:
        document["text_truncated"] = True
    return document


def full_todo(todo: Todo, *, now: Instant, active_agents: Sequence[str]) -> Document:
    """Everything that is stored of a todo, and what follows from it at `now`."""
    route, claim, resume, polling = todo.route, todo.claim, todo.resume, todo.polling
    gate = todo.gate or Gate()
    return {
        "todo_id": todo.todo_id,
        "goal_id": todo.goal_id,
        "sequence": todo.sequence,
        "role": todo.role.value,
        "task_class": todo.task_class.value,
        "status": todo.status.value,
        "closure": todo.closure.value if todo.closure else None,
        "priority": priority_name(todo.priority),
        "text": todo.text,
        "action_kind": todo.action_kind,
        "suggested_peer": suggested_peer(todo, active_agents),
        "claimed_by": claim.agent_id if claim else None,
        "claim_expires_at": format_instant(claim.expires_at) if claim and not todo.is_closed else None,
        "claim_stale": is_claim_stale(todo, now, active_agents),
        "lease": live_lease_document(todo, now),
        "attempts": todo.attempts,
        "last_holder": todo.last_holder,
        "blocked_by": list(todo.blocked_by),
        "unmet_dependencies": todo.unmet,
        "block_reason": todo.block_reason,
        "required_capabilities": list(route.required_capabilities),
        "target_capability": todo.target_capability,
        "task_repository": route.task_repository,
        "required_write_scopes": list(route.required_write_scopes),
        "required_decision_scopes": list(route.required_decision_scopes),
        "decision_scope": gate.decision_scope,
        "blocks_agent": gate.blocks_agent,
        "global_gate": gate.global_gate,
        "unblocks_todo_id": gate.unblocks_todo_id,
        "decision": _decision_document(gate.decision),
        "excluded_agents": list(route.excluded_agents),
        "bound_agent": route.bound_agent,
        "continuation_policy": todo.continuation_policy.value,
        "resume_when": resume.text if resume else None,
        "next_due_at": format_instant(polling.next_due_at) if polling else None,
        "poll_every_seconds": _seconds(polling.poll_every) if polling else None,
        "consecutive_no_change": polling.consecutive_no_change if polling else 0,
        "expires_at": _optional_instant(polling.expires_at if polling else None),
        "acceptance": list(todo.acceptance),
        "validation_command": list(todo.validation.argv) if todo.validation else None,
        "validation_timeout_seconds": _seconds(todo.validation.timeout) if todo.validation else None,
        "predecessor": todo.predecessors[0] if todo.predecessors else None,
        "successors": list(todo.successors),
        "superseded_by": todo.superseded_by,
        "evidence": todo.evidence,
        "completion_rationale": todo.completion_rationale,
        "no_followup": todo.no_followup,
        "created_at": format_instant(todo.created_at),
        "updated_at": format_instant(todo.updated_at),
        "closed_at": _optional_instant(todo.closed_at),
        "version": todo.version,
    }


def priority_name(priority: int) -> str:
    """`P0` … `P4`."""
    return f"P{priority}"


def suggested_peer(todo: Todo, active_agents: Sequence[str]) -> str | None:
    """A deterministic suggestion for unclaimed agent work; it is not ownership (W2.3)."""
    if todo.claim is not None or todo.role is not Role.AGENT or todo.is_closed:
        return None
    return select_peer_for_work(active_agents, todo.todo_id)


def is_claim_stale(todo: Todo, now: Instant, active_agents: Sequence[str]) -> bool:
    """Whether the soft claim no longer counts: its time is over or its agent is retired (W3.2)."""
    claim = todo.claim
    if claim is None or todo.is_closed:
        return False
    return not claim.counts(now, active_agents)


def live_lease_document(todo: Todo, now: Instant) -> Document | None:
    """The lease that the todo is under, if there is one."""
    lease = todo.live_lease(now)
    return lease_document(lease) if lease is not None else None


def lease_document(lease: Lease) -> Document:
    """A lease without its token: only its holder ever sees that, when acquiring or renewing."""
    return {
        "lease_id": lease.lease_id,
        "version": lease.version,
        "holder": lease.holder,
        "acquired_at": format_instant(lease.acquired_at),
        "expires_at": format_instant(lease.expires_at),
    }


def task_document(todo: Todo, now: Instant) -> Document:
    """The work-stealing spelling of a claimed todo."""
    subject, _ = cut(first_line(todo.text), SUBJECT_BYTES)
    description, _ = cut(todo.text[len(first_line(todo.text)) :].lstrip("\n"), DESCRIPTION_BYTES)
    lease = todo.live_lease(now)
    return {
        "id": todo.todo_id,
        "subject": subject,
        "description": description,
        "status": task_status(todo, now),
        "owner": lease.holder if lease else (todo.claim.agent_id if todo.claim else None),
        "blocked_by": list(todo.blocked_by[:ID_LIST_LIMIT]),
    }


def task_status(todo: Todo, now: Instant) -> str:
    """`completed`, `in_progress` under a live lease, otherwise `pending`."""
    if todo.status is Status.DONE:
        return "completed"
    return "in_progress" if todo.live_lease(now) else "pending"


def id_list(name: str, ids: Sequence[str]) -> Document:
    """The first ids under `name` and how many there are under `name_total`."""
    return {name: list(ids[:ID_LIST_LIMIT]), f"{name}_total": len(ids)}


def _decision_document(decision: Decision | None) -> Document | None:
    if decision is None:
        return None
    return {
        "verdict": decision.verdict.value,
        "note": decision.note,
        "decided_by": decision.decided_by,
        "decided_at": format_instant(decision.decided_at),
        "standing": decision.standing,
        "revoked_at": _optional_instant(decision.revoked_at),
    }


def _optional_instant(instant: Instant | None) -> str | None:
    return None if instant is None else format_instant(instant)


def _seconds(duration: int | None) -> float | int | None:
    if duration is None:
        return None
    return duration // SECOND if duration % SECOND == 0 else duration / SECOND


def lease_answer(lease: Lease, *, shows_token: bool = False, released: bool = False) -> Document:
    """A lease in the answers of `task-lease`; the token only for its holder, when acquiring or renewing."""
    document: Document = {
        "lease_id": lease.lease_id,
        "todo_id": lease.todo_id,
        "version": lease.version,
        "holder": lease.holder,
        "acquired_at": format_instant(lease.acquired_at),
        "expires_at": format_instant(lease.expires_at),
        "task_repository": lease.repository,
        "write_scopes": list(lease.write_scopes),
        "pool": lease.pool,
        "released": released,
    }
    if shows_token:
        document["claim_token"] = lease.claim_token
    return document
