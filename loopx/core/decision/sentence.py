"""The decision in words: one plain sentence why, and one phrase what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.capability import CapabilityKind
from loopx.core.decision.meaning import Verdict, named_gate
from loopx.core.decision.means import missing_of
from loopx.core.decision.reason import Mode, ReasonCode

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopx.core.closure import ClosureGap

_PLAIN = {
    Mode.USER_GATE: "a person must decide first",
    Mode.WAIT_PEERS: "others hold what is left",
    Mode.QUIET_WAIT: "what is left sleeps or has a stated cause",
    Mode.PAUSED: "the goal is paused",
    Mode.TERMINAL_NO_FOLLOWUP: "nothing is left to do",
}

_ACTIONS = {
    Mode.CONTROL_PLANE_SELF_REPAIR: "mend what `repair` lists",
    Mode.CAPABILITY_REPAIR: "repair the bridge and ask again with what it gives",
    Mode.WORKSPACE_REPAIR: "move to an independent worktree and ask again from there",
    Mode.REPLAN: "plan what comes next",
    Mode.USER_GATE: "wait for the answer of a person",
    Mode.OWNER_AUTHORIZATION: "wait for the owner",
    Mode.QUOTA_WAIT: "wait for the next window",
    Mode.WAIT_PEERS: "wait for peers",
    Mode.QUIET_WAIT: "wait",
    Mode.PAUSED: "stop until the goal is resumed",
    Mode.TERMINAL_NO_FOLLOWUP: "stop",
}


def reason_of(verdict: Verdict) -> str:
    """Why this mode, naming the todo or the gate behind it."""
    if verdict.closure is not None and verdict.closure.missing:
        return _gap(verdict.closure.missing[0])
    if verdict.mode is Mode.BOUNDED_DELIVERY and verdict.subject is not None:
        whose = "yours and " if verdict.subject.is_mine else ""
        return f"{_subject(verdict)} is {whose}the best of what is runnable"
    if verdict.mode is Mode.MONITOR_POLL:
        return f"{_subject(verdict)} is due for one read-only poll"
    told = _OBSTACLES.get(verdict.drop.reason_code) if verdict.drop is not None else None
    return told(verdict) if told is not None else _PLAIN.get(verdict.mode, _fallback(verdict))


def primary_action_of(verdict: Verdict) -> str:
    """What the agent does, as a phrase; the commands are in the CLI channel."""
    if verdict.mode is Mode.BOUNDED_DELIVERY:
        return f"deliver {_subject(verdict)}"
    if verdict.mode is Mode.MONITOR_POLL:
        return f"poll {_subject(verdict)} once, read-only"
    return _ACTIONS[verdict.mode]


def _subject(verdict: Verdict) -> str:
    return verdict.subject.head.todo_id if verdict.subject is not None else "a todo"


def _fallback(verdict: Verdict) -> str:
    code = verdict.drop.reason_code if verdict.drop is not None else verdict.mode
    return f"{_subject(verdict)} needs a repair: {code}"


def _gap(gap: ClosureGap) -> str:
    from loopx.core.closure import ClosureCode  # loaded already: the gap is one of its values

    if gap.code is ClosureCode.EMPTY_GRAPH:
        return "nothing has been planned yet"
    lack = "does not say what follows" if gap.code is ClosureCode.FOLLOW_UP_UNSTATED else "is not met yet"
    more = f" and {gap.number - 1} more" if gap.number > 1 else ""
    return f"nothing is open, and {gap.subjects[0]} {lack}{more}"


def _gate(verdict: Verdict) -> str:
    return f"{named_gate(verdict)} waits for the answer of a person"


def _reach(verdict: Verdict) -> str:
    return f"{named_gate(verdict)} does not say whom it holds"


def _rejected(verdict: Verdict) -> str:
    return f"{_subject(verdict)} needs a decision that was answered no ({named_gate(verdict)})"


def _no_gate(verdict: Verdict) -> str:
    return f"{_subject(verdict)} needs a decision that no gate asks for ({_fact(verdict, 'decision_scope')})"


def _held(verdict: Verdict) -> str:
    return f"{_subject(verdict)} is held by {_fact(verdict, 'holder')}"


def _tools(verdict: Verdict) -> str:
    return f"{_subject(verdict)} needs {_names(verdict, CapabilityKind.TOOL)}, which is not available"


def _authorities(verdict: Verdict) -> str:
    return f"{_subject(verdict)} needs {_names(verdict, CapabilityKind.AUTHORITY)}, which only the owner can give"


def _place(verdict: Verdict) -> str:
    return f"{_subject(verdict)} may not be delivered from here ({_fact(verdict, 'current_workspace')})"


def _budget(verdict: Verdict) -> str:
    return f"the budget of this window is used ({_fact(verdict, 'used')} of {_fact(verdict, 'limit')})"


def _dependency(verdict: Verdict) -> str:
    return f"{_subject(verdict)} waits for something that will not be done"


def _unchanged(verdict: Verdict) -> str:
    return f"{_subject(verdict)} saw no change {_fact(verdict, 'consecutive_no_change')} times"


def _fact(verdict: Verdict, name: str) -> str:
    return str(verdict.drop.facts.get(name, "?")) if verdict.drop is not None else "?"


def _names(verdict: Verdict, kind: CapabilityKind) -> str:
    return ", ".join(missing_of(verdict.drop, kind)) if verdict.drop is not None else "?"


_R = ReasonCode

_OBSTACLES: dict[ReasonCode, Callable[[Verdict], str]] = {
    _R.GATE_WITHOUT_REACH: _reach,
    _R.GATE_OF_INACTIVE_AGENT: _reach,
    _R.GLOBAL_GATE_OPEN: _gate,
    _R.LANE_GATE_OPEN: _gate,
    _R.GATE_OPEN: _gate,
    _R.DECISION_REJECTED: _rejected,
    _R.DECISION_SCOPE_WITHOUT_GATE: _no_gate,
    _R.CLAIMED_BY_PEER: _held,
    _R.LEASED_BY_PEER: _held,
    _R.CAPABILITY_MISSING: _tools,
    _R.AUTHORITY_MISSING: _authorities,
    _R.WORKSPACE_NOT_INDEPENDENT: _place,
    _R.SLOTS_USED: _budget,
    _R.TOKENS_USED: _budget,
    _R.COST_USED: _budget,
    _R.DEPENDENCY_FAILED: _dependency,
    _R.DEPENDENCY_SUPERSEDED: _dependency,
    _R.MONITOR_NO_CHANGE_LIMIT: _unchanged,
}
