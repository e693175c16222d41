"""A todo as one flat record of stored facts: what rows hold, events compare and exports write.

Only facts are in it. What follows from them (unmet counts, predecessors, whether a condition
holds) is derived by the store and never written into an event.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.core.todo import (
    Claim,
    Closure,
    ContinuationPolicy,
    Decision,
    Gate,
    Lease,
    Polling,
    Resume,
    Role,
    Route,
    Status,
    TaskClass,
    Todo,
    Validation,
    Verdict,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Record = dict[str, Any]  # the JSON values of one flat record; lives at the codec only

# Every fact but edges and lineage, in the order in which the store reads them; the route adds `ROUTE_FIELDS`.
FACTS = (
    "todo_id", "sequence", "goal_id", "task_class", "role", "status", "closure", "priority", "text",
    "action_kind", "target_capability", "continuation_policy",
    "claimed_by", "claimed_at", "claim_expires_at",
    "lease_id", "lease_holder", "lease_acquired_at", "lease_expires_at", "claim_token", "lease_version",
    "lease_repository", "lease_write_scopes", "lease_pool",
    "block_reason", "resume_kind", "resume_ref", "resume_at",
    "decision_scope", "blocks_agent", "global_gate", "unblocks_todo_id",
    "verdict", "decided_at", "decided_by", "decision_note", "standing", "revoked_at",
    "next_due_at", "poll_every", "consecutive_no_change", "monitor_expires_at",
    "acceptance", "validation_argv", "validation_timeout", "evidence", "completion_rationale", "no_followup",
    "superseded_by", "attempts", "last_holder", "created_at", "updated_at", "closed_at", "version",
)  # fmt: skip
LIST_FIELDS = ("acceptance", "validation_argv", "lease_write_scopes")
EDGE_FIELDS = ("blocked_by", "successors")
ROUTE_FIELDS = (
    "required_capabilities",
    "task_repository",
    "required_write_scopes",
    "required_decision_scopes",
    "excluded_agents",
    "bound_agent",
)


def record_of(todo: Todo) -> Record:
    """The flat record; `todo_of` turns it back without loss."""
    record: Record = {}
    for field, value in zip(Todo._fields, todo, strict=True):
        record.update(_columns_of(field, value))
    return record


def changes_between(before: Todo, after: Todo) -> dict[str, list[Any]]:
    """Column → [before, after] of every fact in which the two differ, but for `version` and `updated_at`.

    Only the fields that differ are spelled: most changes touch few of them.
    """
    changes: dict[str, list[Any]] = {}
    for field, old, new in zip(Todo._fields, before, after, strict=True):
        if old is new or old == new or field in _UNCOMPARED:
            continue
        was, now = _columns_of(field, old), _columns_of(field, new)
        changes.update({name: [was[name], value] for name, value in now.items() if was[name] != value})
    return changes


def _columns_of(field: str, value: Any) -> Record:
    """The columns of one field of a todo; none of what is derived."""
    coded = _CODED.get(field)
    return coded(value) if coded else {field: value}


def _route_record(route: Route) -> Record:
    return {
        "goal_id": route.goal_id,
        "task_class": route.task_class.value,
        "required_capabilities": list(route.required_capabilities),
        "task_repository": route.task_repository,
        "required_write_scopes": list(route.required_write_scopes),
        "required_decision_scopes": list(route.required_decision_scopes),
        "excluded_agents": list(route.excluded_agents),
        "bound_agent": route.bound_agent,
    }


def _claim_record(claim: Claim | None) -> Record:
    return {
        "claimed_by": claim.agent_id if claim else None,
        "claimed_at": claim.claimed_at if claim else None,
        "claim_expires_at": claim.expires_at if claim else None,
    }


def _lease_record(lease: Lease | None) -> Record:
    return {
        "lease_id": lease.lease_id if lease else None,
        "lease_holder": lease.holder if lease else None,
        "lease_acquired_at": lease.acquired_at if lease else None,
        "lease_expires_at": lease.expires_at if lease else None,
        "claim_token": lease.claim_token if lease else None,
        "lease_repository": lease.repository if lease else None,
        "lease_write_scopes": list(lease.write_scopes) if lease else None,
        "lease_pool": lease.pool if lease else None,
    }


def _gate_record(gate: Gate | None) -> Record:
    gate = gate or Gate()
    decision = gate.decision
    return {
        "decision_scope": gate.decision_scope,
        "blocks_agent": gate.blocks_agent,
        "global_gate": int(gate.global_gate),
        "unblocks_todo_id": gate.unblocks_todo_id,
        "verdict": decision.verdict.value if decision else None,
        "decided_at": decision.decided_at if decision else None,
        "decided_by": decision.decided_by if decision else None,
        "decision_note": decision.note if decision else None,
        "standing": int(decision.standing) if decision else 0,
        "revoked_at": decision.revoked_at if decision else None,
    }


def _polling_record(polling: Polling | None) -> Record:
    return {
        "next_due_at": polling.next_due_at if polling else None,
        "poll_every": polling.poll_every if polling else None,
        "consecutive_no_change": polling.consecutive_no_change if polling else 0,
        "monitor_expires_at": polling.expires_at if polling else None,
    }


def _resume_record(resume: Resume | None) -> Record:
    return {
        "resume_kind": resume.kind if resume else None,
        "resume_ref": resume.ref if resume else None,
        "resume_at": resume.at if resume else None,
    }


def _validation_record(validation: Validation | None) -> Record:
    return {
        "validation_argv": list(validation.argv) if validation else None,
        "validation_timeout": validation.timeout if validation else None,
    }


def _nothing(_derived: object) -> Record:
    return {}


_UNCOMPARED = frozenset(("version", "updated_at"))

# How the fields are spelled that are not a column of their own name and value.
_CODED: dict[str, Callable[[Any], Record]] = {
    "role": lambda role: {"role": role.value},
    "status": lambda status: {"status": status.value},
    "closure": lambda closure: {"closure": closure.value if closure else None},
    "continuation_policy": lambda policy: {"continuation_policy": policy.value},
    "acceptance": lambda acceptance: {"acceptance": list(acceptance)},
    "no_followup": lambda no_followup: {"no_followup": int(no_followup)},
    "blocked_by": lambda blocked_by: {"blocked_by": list(blocked_by)},
    "successors": lambda successors: {"successors": list(successors)},
    "route": _route_record,
    "claim": _claim_record,
    "lease": _lease_record,
    "gate": _gate_record,
    "polling": _polling_record,
    "resume": _resume_record,
    "validation": _validation_record,
    "unmet": _nothing,
    "broken": _nothing,
    "predecessors": _nothing,
}


def todo_of(record: Record, *, unmet: int = 0, broken: int = 0, predecessors: tuple[str, ...] = ()) -> Todo:
    """The value of a flat record; what is derived is given beside it."""
    return todo_of_facts(
        [record[name] for name in FACTS],
        route=route_of(record),
        unmet=unmet,
        broken=broken,
        predecessors=predecessors,
        blocked_by=tuple(record["blocked_by"]),
        successors=tuple(record["successors"]),
    )


def todo_of_facts(
    facts: Sequence[Any],
    *,
    route: Route,
    unmet: int = 0,
    broken: int = 0,
    blocked_by: tuple[str, ...] = (),
    successors: tuple[str, ...] = (),
    predecessors: tuple[str, ...] = (),
) -> Todo:
    """The value of the facts in the order of `FACTS`; the route, what is derived and the links stand beside them."""
    (
        todo_id, sequence, _, task_class, role, status, closure, priority, text,
        action_kind, target_capability, policy,
        claimed_by, claimed_at, claim_expires_at,
        lease_id, lease_holder, lease_acquired_at, lease_expires_at, claim_token, lease_version,
        lease_repository, lease_write_scopes, lease_pool,
        block_reason, resume_kind, resume_ref, resume_at,
        decision_scope, blocks_agent, global_gate, unblocks_todo_id,
        verdict, decided_at, decided_by, decision_note, standing, revoked_at,
        next_due_at, poll_every, no_change, monitor_expires_at,
        acceptance, validation_argv, validation_timeout, evidence, rationale, no_followup,
        superseded_by, attempts, last_holder, created_at, updated_at, closed_at, version,
    ) = facts  # fmt: skip
    claim = lease = gate = decision = resume = polling = validation = None
    if claimed_by is not None:
        claim = Claim(claimed_by, claimed_at, claim_expires_at)
    if lease_id is not None:
        lease = Lease(
            lease_id, todo_id, lease_holder, lease_version, lease_acquired_at, lease_expires_at, claim_token,
            lease_repository, tuple(lease_write_scopes), lease_pool,
        )  # fmt: skip
    if verdict is not None:
        decision = Decision(Verdict(verdict), decided_at, decided_by, decision_note, bool(standing), revoked_at)
    if task_class == TaskClass.USER_GATE:
        gate = Gate(decision_scope, blocks_agent, bool(global_gate), unblocks_todo_id, decision)
    if resume_kind is not None:
        resume = Resume(resume_kind, resume_ref, resume_at)
    if next_due_at is not None:
        polling = Polling(next_due_at, poll_every, no_change, monitor_expires_at)
    if validation_argv is not None:
        validation = Validation(tuple(validation_argv), validation_timeout)
    return Todo(
        todo_id=todo_id,
        sequence=sequence,
        role=_ROLES[role],
        status=_STATUSES[status],
        priority=priority,
        text=text,
        route=route,
        created_at=created_at,
        updated_at=updated_at,
        version=version,
        closure=_CLOSURES[closure],
        action_kind=action_kind,
        target_capability=target_capability,
        continuation_policy=_POLICIES[policy],
        claim=claim,
        lease=lease,
        lease_version=lease_version,
        blocked_by=blocked_by,
        unmet=unmet,
        broken=broken,
        block_reason=block_reason,
        resume=resume,
        gate=gate,
        polling=polling,
        acceptance=tuple(acceptance),
        validation=validation,
        evidence=evidence,
        completion_rationale=rationale,
        no_followup=bool(no_followup),
        attempts=attempts,
        last_holder=last_holder,
        closed_at=closed_at,
        predecessors=predecessors,
        successors=successors,
        superseded_by=superseded_by,
    )


# Looked up here for every row that is read; calling an enumeration takes five times as long.
_ROLES = {member.value: member for member in Role}
_STATUSES = {member.value: member for member in Status}
_CLOSURES: dict[str | None, Closure | None] = {None: None, **{member.value: member for member in Closure}}
_POLICIES = {member.value: member for member in ContinuationPolicy}


def route_of(record: Record) -> Route:
    """The route of a flat record."""
    return Route(
        goal_id=record["goal_id"],
        task_class=TaskClass(record["task_class"]),
        required_capabilities=tuple(record["required_capabilities"]),
        task_repository=record["task_repository"],
        required_write_scopes=tuple(record["required_write_scopes"]),
        required_decision_scopes=tuple(record["required_decision_scopes"]),
        excluded_agents=tuple(record["excluded_agents"]),
        bound_agent=record["bound_agent"],
    )
