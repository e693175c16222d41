"""The decision on the wire: `quota_should_run_v1`, at most `PACKET_BYTES` at any size of graph and text.

The document is first written without its lists. Their entries are then added in a stated order as
long as they fit, so that what tells an agent what to do is never cut in favour of what explains it.
Totals stand beside the lists.
"""

from __future__ import annotations

from json import JSONEncoder
from typing import TYPE_CHECKING, Any

from loopx.contracts.todo_document import priority_name
from loopx.core.decision.decision import GateAction
from loopx.core.instant import format_instant
from loopx.core.secret import masked_brief, masked_word
from loopx.core.text import BRIEF_BYTES
from loopx.core.todo import TaskClass
from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from loopx.core.decision.decision import (
        BlockedCandidate,
        Bypassed,
        CapabilityGate,
        Decision,
        DeliveryWorkspace,
        Question,
        Repair,
        RepairError,
        SchedulerHint,
        Selected,
        WorkspaceGuard,
    )

PACKET_SCHEMA = "quota_should_run_v1"
CONTRACT_SCHEMA = "interaction_contract_v1"
PACKET_BYTES = 4_096  # fits any model's context without a thought (budgets.md)
SPEND_POLICY = "once, after validated writeback"

_SENTENCE_BYTES = 240  # a reason names two ids and a fact
_SELECTION_POLICY = "agent_steering_audit_over_runnable_candidates"

Document = dict[str, Any]  # a JSON document on its way out; its schema is its type

_encode = JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def packet_document(decision: Decision, warnings: Sequence[str] = ()) -> Document:
    """The packet, keys in the order of `decision.md`, within `PACKET_BYTES` of compact UTF-8."""
    document = _frame(decision)
    room = PACKET_BYTES - size_of(document)
    for part in _parts(decision, document, warnings):
        if len(part.place) == part.start:  # nothing before it was left out
            room -= _fill(part, room)
    return document


class Part(Value):
    """Entries that belong into one list of the document, from a position on."""

    place: list[Any]
    start: int
    entries: Iterable[Any]


def _fill(part: Part, room: int) -> int:
    """Add entries as long as they fit; the bytes they take."""
    used = 0
    for entry in part.entries:
        cost = size_of(entry) + 1  # and a comma
        if used + cost > room:
            break
        part.place.append(entry)
        used += cost
    return used


def size_of(value: object) -> int:
    """Bytes of the value as compact JSON."""
    return len(_encode(value).encode("utf-8"))


def _parts(decision: Decision, document: Document, warnings: Sequence[str]) -> Iterator[Part]:
    """The entries in the order in which they are worth their bytes."""
    contract = document["interaction_contract"]
    actions = contract["cli_channel"]["next_cli_actions"]
    questions = contract["user_channel"]["todos"]
    asked = [_question(question) for question in decision.user.questions]
    yield Part(actions, 0, decision.next_actions[:1])
    yield Part(questions, 0, asked[:1])
    yield Part(actions, 1, decision.next_actions[1:])
    yield from _repair_parts(decision.repair, document["repair"])
    yield from _capability_parts(decision.capability_gate, document["capability_gate"])
    yield Part(contract["agent_channel"]["blocking"], 0, [_row(row) for row in decision.blocking])
    yield Part(document["bypass_boundary"], 0, [_bypassed(row) for row in decision.bypass])
    yield Part(document["warnings"], 0, warnings)
    yield Part(questions, 1, asked[1:])


def _row(row: Value) -> Document:
    """A row whose fields are its keys."""
    return dict(zip(row._fields, row, strict=True))


def _bypassed(row: Bypassed) -> Document:
    return {"todo_id": row.todo_id, "decision_scope": row.decision_scope and masked_word(row.decision_scope)}


def _question(question: Question) -> Document:
    text, item = masked_brief(question.text, BRIEF_BYTES), question.item
    if item is None:
        return {
            "kind": "capability_request",
            "todo_id": question.todo_id,
            "text": text,
            "answer_command": question.answer_command,
        }
    document: Document = {"todo_id": item.todo_id, "text": text, "task_class": item.task_class.value}
    if item.task_class is TaskClass.USER_GATE and item.gate is not None:
        document["decision_scope"] = item.gate.decision_scope and masked_word(item.gate.decision_scope)
        document["blocks_agent"] = item.gate.blocks_agent
        document["global_gate"] = item.gate.global_gate
        document["unblocks_todo_id"] = item.gate.unblocks_todo_id
    document["answer_command"] = question.answer_command
    return document


def _repair_parts(repair: Repair | None, document: Document | None) -> Iterator[Part]:
    if repair is None or document is None:
        return
    yield Part(document["errors"], 0, [_repair_error(error) for error in repair.errors])
    yield Part(document["next_commands"], 0, repair.next_commands)


def _repair_error(error: RepairError) -> Document:
    """Only what the statement is about."""
    return {name: value for name, value in _row(error).items() if value is not None}


def _capability_parts(gate: CapabilityGate | None, document: Document | None) -> Iterator[Part]:
    if gate is None or document is None:
        return
    yield Part(document["runnable_candidates"], 0, [{"todo_id": todo_id} for todo_id in gate.runnable])
    yield Part(document["blocked_candidates"], 0, [_blocked(row) for row in gate.blocked])


def _blocked(row: BlockedCandidate) -> Document:
    return {"todo_id": row.todo_id, "missing": list(row.missing), "missing_kind": row.kind.value}


def _frame(decision: Decision) -> Document:
    """The packet with every list still empty."""
    return {
        "schema_version": PACKET_SCHEMA,
        "ok": True,
        "state": decision.state,
        "should_run": decision.should_run,
        "reason": masked_brief(decision.reason, _SENTENCE_BYTES),
        "goal_id": decision.goal_id,
        "agent_id": decision.agent_id,
        "selected_todo": _selected(decision.selected),
        "interaction_contract": _contract(decision),
        "safe_bypass_allowed": decision.is_safe_bypass,
        "bypass_boundary": [],
        "bypass_boundary_total": decision.bypass_total,
        "repair": _repair(decision.repair),
        "capability_gate": _capability_gate(decision.capability_gate),
        "agent_workspace_guard": _workspace_guard(decision.workspace_guard),
        "frontier": dict(zip(decision.frontier._fields, decision.frontier, strict=True)),
        "scheduler_hint": _hint(decision.hint),
        "evaluated_at": format_instant(decision.evaluated_at),
        "state_sequence": decision.sequence,
        "warnings": [],
    }


def _selected(selected: Selected | None) -> Document | None:
    if selected is None:
        return None
    todo = selected.todo
    return {
        "todo_id": todo.todo_id,
        "priority": priority_name(todo.priority),
        "text": masked_brief(todo.text, BRIEF_BYTES),
        "task_class": todo.task_class.value,
        "claimed_by": selected.claimed_by,
        "suggested_peer": selected.suggested_peer,
    }


def _contract(decision: Decision) -> Document:
    return {
        "schema_version": CONTRACT_SCHEMA,
        "mode": decision.mode.value,
        "cli_channel": _cli_channel(decision),
        "user_channel": {
            "action_required": decision.user.action_required,
            "open_count": decision.user.open_count,
            "todos": [],
            "reason": decision.user.reason,
        },
        "agent_channel": {
            "must_attempt": decision.should_run,
            "delivery_allowed": decision.delivery_allowed,
            "quiet_noop_allowed": not decision.should_run,
            "primary_action": decision.primary_action,
            "blocking": [],
            "blocking_total": decision.blocking_total,
        },
    }


def _cli_channel(decision: Decision) -> Document:
    channel: Document = {
        "next_cli_actions": [],
        "spend_allowed_now": False,
        "spend_after_validation": decision.delivery_allowed,
        "spend_policy": SPEND_POLICY,
    }
    if decision.delivery_workspace is not None:
        channel["delivery_workspace_causality"] = _delivery_workspace(decision.delivery_workspace)
    return channel


def _delivery_workspace(place: DeliveryWorkspace) -> Document:
    return {
        "task_repository": place.task_repository,
        "workspace_kind": place.workspace_kind.value if place.workspace_kind is not None else None,
        "peer_independent_worktree_required": place.needs_own_worktree,
    }


def _repair(repair: Repair | None) -> Document | None:
    if repair is None:
        return None
    return {
        "kind": repair.kind.value,
        "errors": [],
        "errors_total": repair.errors_total,
        "next_commands": [],
    }


def _capability_gate(gate: CapabilityGate | None) -> Document | None:
    if gate is None:
        return None
    runs = gate.runnable_count > 0
    return {
        "action": gate.action.value,
        "decision_owner": "owner" if gate.action is GateAction.REQUEST_OWNER else "agent",
        "selection_policy": _SELECTION_POLICY if runs else None,
        "runnable_candidates": [],
        "blocked_candidates": [],
        "blocked_total": gate.blocked_total,
        "runnable_count": gate.runnable_count,
        "blocks_delivery": not runs,
    }


def _workspace_guard(guard: WorkspaceGuard | None) -> Document | None:
    if guard is None:
        return None
    return {
        "action": "move_to_independent_worktree",
        "current_workspace": guard.current,
        "required_workspace": "independent_git_worktree",
        "blocks_delivery": True,
        "task_repository": guard.task_repository,
        "peer_independent_worktree_required": True,
    }


def _hint(hint: SchedulerHint) -> Document:
    document: Document = {
        "next_wake_at": _instant(hint.next_wake_at),
        "poll_after_seconds": hint.poll_after_seconds,
        "cadence": hint.cadence.value,
    }
    if hint.resets_at is not None:
        document["resets_at"] = _instant(hint.resets_at)
    return document


def _instant(instant: int | None) -> str | None:
    return None if instant is None else format_instant(instant)
