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
    from collections.abc import Callable

Record = dict[str, Any]  # the JSON values of one flat record; lives at the codec only

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


def todo_of(
    record: Record,
    *,
    route: Route | None = None,
    unmet: int = 0,
    broken: int = 0,
    predecessors: tuple[str, ...] = (),
) -> Todo:
    """The value of a flat record; what is derived is given beside it, and the route where it is known already."""
    return Todo(
        todo_id=record["todo_id"],
        sequence=record["sequence"],
        role=Role(record["role"]),
        status=Status(record["status"]),
        priority=record["priority"],
        text=record["text"],
        route=route or route_of(record),
        created_at=record["created_at"],
        updated_at=record["updated_at"],
        version=record["version"],
        closure=Closure(record["closure"]) if record["closure"] else None,
        action_kind=record["action_kind"],
        target_capability=record["target_capability"],
        continuation_policy=ContinuationPolicy(record["continuation_policy"]),
        claim=_claim_of(record),
        lease=_lease_of(record),
        lease_version=record["lease_version"],
        blocked_by=tuple(record["blocked_by"]),
        unmet=unmet,
        broken=broken,
        block_reason=record["block_reason"],
        resume=_resume_of(record),
        gate=_gate_of(record),
        polling=_polling_of(record),
        acceptance=tuple(record["acceptance"]),
        validation=_validation_of(record),
        evidence=record["evidence"],
        completion_rationale=record["completion_rationale"],
        no_followup=bool(record["no_followup"]),
        attempts=record["attempts"],
        last_holder=record["last_holder"],
        closed_at=record["closed_at"],
        predecessors=predecessors,
        successors=tuple(record["successors"]),
        superseded_by=record["superseded_by"],
    )


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


def _claim_of(record: Record) -> Claim | None:
    if record["claimed_by"] is None:
        return None
    return Claim(record["claimed_by"], record["claimed_at"], record["claim_expires_at"])


def _lease_of(record: Record) -> Lease | None:
    if record["lease_id"] is None:
        return None
    return Lease(
        lease_id=record["lease_id"],
        todo_id=record["todo_id"],
        holder=record["lease_holder"],
        version=record["lease_version"],
        acquired_at=record["lease_acquired_at"],
        expires_at=record["lease_expires_at"],
        claim_token=record["claim_token"],
        repository=record["lease_repository"],
        write_scopes=tuple(record["lease_write_scopes"]),
        pool=record["lease_pool"],
    )


def _resume_of(record: Record) -> Resume | None:
    if record["resume_kind"] is None:
        return None
    return Resume(record["resume_kind"], record["resume_ref"], record["resume_at"])


def _gate_of(record: Record) -> Gate | None:
    if record["task_class"] != TaskClass.USER_GATE:
        return None
    return Gate(
        decision_scope=record["decision_scope"],
        blocks_agent=record["blocks_agent"],
        global_gate=bool(record["global_gate"]),
        unblocks_todo_id=record["unblocks_todo_id"],
        decision=_decision_of(record),
    )


def _decision_of(record: Record) -> Decision | None:
    if record["verdict"] is None:
        return None
    return Decision(
        verdict=Verdict(record["verdict"]),
        decided_at=record["decided_at"],
        decided_by=record["decided_by"],
        note=record["decision_note"],
        standing=bool(record["standing"]),
        revoked_at=record["revoked_at"],
    )


def _polling_of(record: Record) -> Polling | None:
    if record["next_due_at"] is None:
        return None
    return Polling(
        next_due_at=record["next_due_at"],
        poll_every=record["poll_every"],
        consecutive_no_change=record["consecutive_no_change"],
        expires_at=record["monitor_expires_at"],
    )


def _validation_of(record: Record) -> Validation | None:
    if record["validation_argv"] is None:
        return None
    return Validation(tuple(record["validation_argv"]), record["validation_timeout"])
