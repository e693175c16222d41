"""The closed sets of the decision: modes, stages, reason codes, and what each reason leads to."""

from __future__ import annotations

from enum import StrEnum


class Mode(StrEnum):
    """What one agent does now; every snapshot reaches exactly one."""

    BOUNDED_DELIVERY = "bounded_delivery"  # deliver one todo
    MONITOR_POLL = "monitor_poll"  # one read-only poll
    CONTROL_PLANE_SELF_REPAIR = "control_plane_self_repair"  # the graph states something impossible
    CAPABILITY_REPAIR = "capability_repair"  # a tool is missing
    WORKSPACE_REPAIR = "workspace_repair"  # the place is wrong
    REPLAN = "replan"  # nothing says what comes next
    USER_GATE = "user_gate"  # a person must decide
    OWNER_AUTHORIZATION = "owner_authorization"  # only the owner can give what is missing
    QUOTA_WAIT = "quota_wait"  # the window's budget is used
    WAIT_PEERS = "wait_peers"  # others hold what is left
    QUIET_WAIT = "quiet_wait"  # what is left sleeps
    PAUSED = "paused"
    TERMINAL_NO_FOLLOWUP = "terminal_no_followup"  # done, through validated closure


RUNS = frozenset(
    (
        Mode.BOUNDED_DELIVERY,
        Mode.MONITOR_POLL,
        Mode.CONTROL_PLANE_SELF_REPAIR,
        Mode.CAPABILITY_REPAIR,
        Mode.WORKSPACE_REPAIR,
        Mode.REPLAN,
    )
)
ENDS = frozenset((Mode.PAUSED, Mode.TERMINAL_NO_FOLLOWUP))  # no clock brings work back


class Stage(StrEnum):
    """Where a todo can be dropped, in the order of `decision.md`."""

    IDENTITY = "identity"
    INTEGRITY = "integrity"
    GOAL_STATE = "goal_state"
    GATE_SCOPE = "gate_scope"
    LANE_GATE = "lane_gate"
    LIFECYCLE = "lifecycle"
    DEPENDENCIES = "dependencies"
    PEER_VISIBLE = "peer_visible"
    DECISION_SCOPES = "decision_scopes"
    CAPABILITY = "capability"
    HOLDING = "holding"
    WORKSPACE = "workspace"
    BUDGET = "budget"


class ReasonCode(StrEnum):
    """Why a todo is not runnable; also the codes of repair rows."""

    GOAL_PAUSED = "goal_paused"
    GOAL_CLOSED = "goal_closed"
    GATE_WITHOUT_REACH = "multi_agent_user_gate_missing_scope"
    GATE_OF_INACTIVE_AGENT = "user_gate_blocks_inactive_agent"
    GLOBAL_GATE_OPEN = "global_gate_open"
    LANE_GATE_OPEN = "lane_gate_open"
    TODO_CLOSED = "todo_closed"
    FOR_A_PERSON = "for_a_person"
    BLOCKED = "blocked"  # by a stated reason, condition or open link
    BLOCKED_WITHOUT_CAUSE = "blocked_without_cause"
    BLOCKER_OPEN = "blocker_open"
    BLOCKER_WITHOUT_CAUSE = "blocker_without_cause"
    BLOCKER_RECOVERED = "blocker_recovered"
    DEFERRED = "deferred"  # asleep
    DEFERRED_WITHOUT_CONDITION = "deferred_without_condition"
    RESUME_UNSATISFIABLE = "resume_unsatisfiable"
    MONITOR_NOT_DUE = "monitor_not_due"
    MONITOR_NO_CHANGE_LIMIT = "monitor_no_change_limit"
    MONITOR_EXPIRED = "monitor_expired"
    DEPENDENCY_OPEN = "dependency_open"
    DEPENDENCY_FAILED = "dependency_failed"
    DEPENDENCY_SUPERSEDED = "dependency_superseded"
    NO_ELIGIBLE_AGENT = "no_eligible_agent"
    OUTSIDE_GOAL_BOUNDARY = "outside_goal_boundary"
    BOUND_ELSEWHERE = "bound_elsewhere"
    AGENT_EXCLUDED = "agent_excluded"
    GATE_OPEN = "gate_open"  # holds this agent
    PEER_GATE_OPEN = "peer_gate_open"  # holds only another agent
    DECISION_SCOPE_WITHOUT_GATE = "decision_scope_without_gate"
    DECISION_REJECTED = "decision_rejected"
    CAPABILITY_MISSING = "capability_missing"  # tool-like
    AUTHORITY_MISSING = "authority_missing"  # credential- or production-like
    CLAIMED_BY_PEER = "claimed_by_peer"
    LEASED_BY_PEER = "leased_by_peer"
    WORKSPACE_NOT_INDEPENDENT = "workspace_not_independent"
    SLOTS_USED = "slots_used"
    TOKENS_USED = "tokens_used"
    COST_USED = "cost_used"


class Consequence(StrEnum):
    """What a reason leads to where it is all that is in the way."""

    ENDS = "ends"  # nothing is decided for anybody
    USER = "user"  # an open gate that holds this agent
    PEERS = "peers"  # others hold it
    REPAIR = "repair"  # a statement that can never come true
    TOOL = "tool"
    AUTHORITY = "authority"
    WORKSPACE = "workspace"
    BUDGET = "budget"
    REPLAN = "replan"
    QUIET = "quiet"  # it wakes by itself, or its cause is stated
    ROOT = "root"  # its open dependency decides


_C, _R = Consequence, ReasonCode

CONSEQUENCES: dict[ReasonCode, Consequence] = {
    _R.GOAL_PAUSED: _C.ENDS,
    _R.GOAL_CLOSED: _C.ENDS,
    _R.GATE_WITHOUT_REACH: _C.REPAIR,
    _R.GATE_OF_INACTIVE_AGENT: _C.REPAIR,
    _R.GLOBAL_GATE_OPEN: _C.USER,
    _R.LANE_GATE_OPEN: _C.USER,
    _R.TODO_CLOSED: _C.QUIET,
    _R.FOR_A_PERSON: _C.QUIET,
    _R.BLOCKED: _C.QUIET,
    _R.BLOCKED_WITHOUT_CAUSE: _C.REPAIR,
    _R.BLOCKER_OPEN: _C.QUIET,
    _R.BLOCKER_WITHOUT_CAUSE: _C.REPAIR,
    _R.BLOCKER_RECOVERED: _C.REPAIR,
    _R.DEFERRED: _C.QUIET,
    _R.DEFERRED_WITHOUT_CONDITION: _C.REPAIR,
    _R.RESUME_UNSATISFIABLE: _C.REPAIR,
    _R.MONITOR_NOT_DUE: _C.QUIET,
    _R.MONITOR_NO_CHANGE_LIMIT: _C.REPLAN,
    _R.MONITOR_EXPIRED: _C.REPAIR,
    _R.DEPENDENCY_OPEN: _C.ROOT,
    _R.DEPENDENCY_FAILED: _C.REPAIR,
    _R.DEPENDENCY_SUPERSEDED: _C.REPAIR,
    _R.NO_ELIGIBLE_AGENT: _C.REPAIR,
    _R.OUTSIDE_GOAL_BOUNDARY: _C.REPAIR,
    _R.BOUND_ELSEWHERE: _C.PEERS,
    _R.AGENT_EXCLUDED: _C.PEERS,
    _R.GATE_OPEN: _C.USER,
    _R.PEER_GATE_OPEN: _C.PEERS,
    _R.DECISION_SCOPE_WITHOUT_GATE: _C.REPAIR,
    _R.DECISION_REJECTED: _C.REPAIR,
    _R.CAPABILITY_MISSING: _C.TOOL,
    _R.AUTHORITY_MISSING: _C.AUTHORITY,
    _R.CLAIMED_BY_PEER: _C.PEERS,
    _R.LEASED_BY_PEER: _C.PEERS,
    _R.WORKSPACE_NOT_INDEPENDENT: _C.WORKSPACE,
    _R.SLOTS_USED: _C.BUDGET,
    _R.TOKENS_USED: _C.BUDGET,
    _R.COST_USED: _C.BUDGET,
}
