"""Plain words for the codes of the decision."""

from __future__ import annotations

from loopx.core.decision.reason import ReasonCode, Stage

_R, _S = ReasonCode, Stage

_REASONS = {
    _R.GOAL_PAUSED: "the goal is paused",
    _R.GOAL_CLOSED: "the goal is closed",
    _R.GATE_WITHOUT_REACH: "a gate does not say whom it holds, so nothing is delivered until it does",
    _R.GATE_OF_INACTIVE_AGENT: "a gate names an agent that may not act any more",
    _R.GLOBAL_GATE_OPEN: "a gate on everybody waits for an answer",
    _R.LANE_GATE_OPEN: "a gate on all work of this agent waits for an answer",
    _R.TODO_CLOSED: "it is closed",
    _R.FOR_A_PERSON: "it is for a person",
    _R.BLOCKED: "it is blocked by a stated cause",
    _R.BLOCKED_WITHOUT_CAUSE: "it is blocked and nothing says by what",
    _R.BLOCKER_OPEN: "a known obstacle that is not resolved yet",
    _R.BLOCKER_WITHOUT_CAUSE: "an obstacle without a fact or a condition that ends it",
    _R.BLOCKER_RECOVERED: "the obstacle is over and waits to be closed",
    _R.DEFERRED: "it sleeps until its condition holds",
    _R.DEFERRED_WITHOUT_CONDITION: "it sleeps and nothing would wake it",
    _R.RESUME_UNSATISFIABLE: "what would wake it can never happen",
    _R.MONITOR_NOT_DUE: "the next look is not due yet",
    _R.MONITOR_NO_CHANGE_LIMIT: "it has looked many times without a change and needs a new plan",
    _R.MONITOR_EXPIRED: "its time is over and it waits to be closed",
    _R.DEPENDENCY_OPEN: "it waits for other todos",
    _R.DEPENDENCY_FAILED: "what it waits for has failed",
    _R.DEPENDENCY_SUPERSEDED: "what it waits for was given up without a replacement",
    _R.NO_ELIGIBLE_AGENT: "no registered agent may do it",
    _R.OUTSIDE_GOAL_BOUNDARY: "it lies outside the goal's boundary",
    _R.BOUND_ELSEWHERE: "only another agent may do it",
    _R.AGENT_EXCLUDED: "this agent is excluded from it",
    _R.GATE_OPEN: "it waits for a person's answer",
    _R.PEER_GATE_OPEN: "it waits for a person's answer to another agent's question",
    _R.DECISION_SCOPE_WITHOUT_GATE: "it needs a decision that nobody has asked for yet",
    _R.DECISION_REJECTED: "a person said no; it must be replaced or asked again",
    _R.CAPABILITY_MISSING: "a tool is missing",
    _R.AUTHORITY_MISSING: "an authority is missing that only the owner can give",
    _R.CLAIMED_BY_PEER: "another agent has claimed it",
    _R.LEASED_BY_PEER: "another agent works on it",
    _R.WORKSPACE_NOT_INDEPENDENT: "it must be done in a worktree of its own",
    _R.SLOTS_USED: "the window's runs are used up",
    _R.TOKENS_USED: "the window's tokens are used up",
    _R.COST_USED: "the window's money is used up",
}
_STAGES = {
    _S.IDENTITY: "the agent is registered",
    _S.INTEGRITY: "the graph is sound",
    _S.GOAL_STATE: "the goal is active",
    _S.GATE_SCOPE: "every gate says whom it holds",
    _S.LANE_GATE: "no gate holds all of its work",
    _S.LIFECYCLE: "it is open",
    _S.DEPENDENCIES: "what it waits for is done",
    _S.PEER_VISIBLE: "this agent may do it",
    _S.DECISION_SCOPES: "its decisions are made",
    _S.CAPABILITY: "the agent has what it takes",
    _S.HOLDING: "nobody else is on it",
    _S.WORKSPACE: "the place is right",
    _S.BUDGET: "the budget allows it",
}


def reason_words(code: str) -> str:
    """What the reason code says, as a clause without a full stop."""
    return _REASONS[ReasonCode(code)]


def stage_words(stage: str) -> str:
    """What holds where the stage is passed."""
    return _STAGES[Stage(stage)]
