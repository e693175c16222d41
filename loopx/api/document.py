"""What the calls answer, as types: the contracts of `schemas/`, key for key.

Written by `make reference`; change the schemas, not this module. A document is a plain `dict` at run time.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class ClaimNextV1ClaimTask(TypedDict):
    id: str
    subject: str
    description: str
    status: Literal["in_progress"]
    owner: str
    blocked_by: list[str]


class Lease(TypedDict):
    lease_id: str
    version: int
    holder: str
    acquired_at: str
    expires_at: str


class ClaimNextV1Claim(TypedDict):
    task: ClaimNextV1ClaimTask
    claim_token: str
    lease_expires_at_utc: str
    lease: Lease


class ClaimNextV1SkippedItem(TypedDict):
    """A todo that the caller cannot take."""

    todo_id: str
    reason_code: str
    missing: NotRequired[list[str]]
    next_command: str


class Receipt(TypedDict):
    """What a mutation left in the log."""

    event: str
    sequence: int
    operation_id: str
    replayed: bool
    mode: Literal["delegated_orchestration_override"] | None
    authority_source: Literal["coordination.todo_lifecycle_authority"] | None
    authority_action: Literal["complete", "reassign", "supersede"] | None
    authority_reason: str | None
    next_command: str | None


class ClaimNextV1(TypedDict):
    """The todo that a worker may start, or why there is none."""

    schema_version: Literal["claim_next_v1"]
    ok: Literal[True]
    claim: ClaimNextV1Claim | None
    reason: str | None
    mode: NotRequired[str]
    skipped: list[ClaimNextV1SkippedItem]
    skipped_total: NotRequired[int]
    receipt: Receipt | None
    dry_run: NotRequired[Literal[True]]
    state: str
    warnings: list[str]


class ErrorV1Error(TypedDict):
    code: str
    message: str
    hint: str | None
    details: dict[str, Any]


class ErrorV1(TypedDict):
    """What any command answers in JSON mode when it does not succeed."""

    schema_version: Literal["error_v1"]
    ok: Literal[False]
    error: ErrorV1Error
    warnings: list[str]
    state: NotRequired[str | None]


class FactListV1Fact(TypedDict):
    fact: str
    evidence: str
    recorded_by: str
    recorded_at: str


class FactListV1(TypedDict):
    """What has been recorded of the outside, in the order of names."""

    schema_version: Literal["fact_list_v1"]
    ok: Literal[True]
    facts: list[FactListV1Fact]
    total: int
    truncated: bool
    next_cursor: str | None
    state: str
    warnings: list[str]


class FactV1Fact(TypedDict):
    fact: str
    evidence: str
    recorded_by: str
    recorded_at: str


class FactV1(TypedDict):
    """Something outside that was recorded as being so."""

    schema_version: Literal["fact_v1"]
    ok: Literal[True]
    fact: FactV1Fact
    receipt: Receipt
    dry_run: NotRequired[Literal[True]]
    state: str
    warnings: list[str]


class GoalListV1Goal(TypedDict):
    goal_id: str
    objective: str
    state: Literal["active", "paused", "closed"]
    agents: int
    open: int
    blocked: int
    deferred: int
    unmet_criteria: int


class GoalListV1(TypedDict):
    """The goals of the project, in the order of the registry."""

    schema_version: Literal["goal_list_v1"]
    ok: Literal[True]
    goals: list[GoalListV1Goal]
    total: int
    truncated: bool
    next_cursor: str | None
    state: str
    warnings: list[str]


class GoalAcceptanceItem(TypedDict):
    id: str
    text: str
    met: bool


class GoalBoundary(TypedDict):
    """Where its work may happen; empty means anywhere."""

    repositories: list[str]
    write_scopes: list[str]


class GoalQuota(TypedDict):
    """The budget of a window; null means unlimited."""

    slots: int | None
    tokens: int | None
    cost: float | None
    window: str | None


class Agent(TypedDict):
    """One peer."""

    agent_id: str
    capabilities: list[str]
    retired: bool


class Grant(TypedDict):
    """Lifecycle authority over peers' claimed todos."""

    agent_id: str
    actions: list[Literal["complete", "reassign", "supersede"]]
    requires_reason: bool


class GoalPool(TypedDict):
    name: str
    capacity: int


class Goal(TypedDict):
    """A goal as the registry says it."""

    goal_id: str
    objective: str
    state: Literal["active", "paused", "closed"]
    acceptance: list[GoalAcceptanceItem]
    boundary: GoalBoundary
    quota: GoalQuota
    agents: list[Agent]
    todo_lifecycle_authority: list[Grant]
    pools: list[GoalPool]


class Gap(TypedDict):
    """One kind of thing that keeps a goal from being closed."""

    code: Literal[
        "empty_graph",
        "work_open",
        "monitor_open",
        "blocker_open",
        "gate_open",
        "user_action_open",
        "work_blocked",
        "work_deferred",
        "follow_up_unstated",
        "acceptance_unmet",
    ]
    count: int
    subjects: list[str]


class GoalV1(TypedDict):
    """One goal, read or after a change of it."""

    schema_version: Literal["goal_v1"]
    ok: Literal[True]
    goal: Goal
    missing: list[Gap]
    receipt: NotRequired[Receipt]
    dry_run: NotRequired[Literal[True]]
    state: str
    warnings: list[str]


HandoffListV1Handoff = TypedDict(
    "HandoffListV1Handoff",
    {
        "handoff_id": "str",
        "sequence": "int",
        "from": "str | None",
        "to": "str",
        "created_at": "str",
        "digest": "str",
        "post_handoff_run_seen": "bool",
    },
)


class HandoffListV1(TypedDict):
    """The recorded handoffs of a goal, newest first."""

    schema_version: Literal["handoff_list_v1"]
    ok: Literal[True]
    goal_id: str
    handoffs: list[HandoffListV1Handoff]
    total: int
    truncated: bool
    next_cursor: str | None
    state: str
    warnings: list[str]


class HandoffV1HandoffChecks(TypedDict):
    project_asset_backed: bool
    same_source_should_run: bool
    codex_ready: bool
    handoff_has_next_action: bool
    handoff_has_stop_condition: bool
    handoff_sanitized_surface: bool


class HandoffV1HandoffAuthorityBoundary(TypedDict):
    repositories: list[str]
    write_scopes: list[str]


class HandoffV1HandoffAuthorityBudget(TypedDict):
    slots: int | None
    tokens: int | None
    cost: float | None
    window: str | None


class HandoffV1HandoffAuthority(TypedDict):
    """Who may act, with what grants, where, on what budget."""

    source: Literal["coordination.todo_lifecycle_authority"]
    goal_state: Literal["active", "paused", "closed"]
    agents: list[str]
    agents_total: int
    grants: list[Grant]
    grants_total: int
    boundary: HandoffV1HandoffAuthorityBoundary
    budget: HandoffV1HandoffAuthorityBudget


class HandoffV1HandoffValidationSurfaceAcceptanceItem(TypedDict):
    id: str
    text: str
    met: bool
    evidence: str | None
    met_by: str | None


class HandoffV1HandoffValidationSurfaceRun(TypedDict):
    run_id: str
    todo_id: str
    agent_id: str
    evidence: str
    validation: str | None
    recorded_at: str


class HandoffV1HandoffValidationSurfaceTodo(TypedDict):
    todo_id: str
    acceptance: list[str]
    validation_command: str | None


class HandoffV1HandoffValidationSurface(TypedDict):
    """What counts as done, what shows it so far, what is missing."""

    acceptance: list[HandoffV1HandoffValidationSurfaceAcceptanceItem]
    acceptance_total: int
    unmet_total: int
    missing: list[Gap]
    runs: list[HandoffV1HandoffValidationSurfaceRun]
    todos: list[HandoffV1HandoffValidationSurfaceTodo]


class HandoffV1HandoffFrontierRunnableItem(TypedDict):
    todo_id: str
    priority: Literal["P0", "P1", "P2", "P3", "P4"]
    task_class: Literal["advancement_task", "user_gate", "user_action", "continuous_monitor", "blocker"]
    text: str


class HandoffV1HandoffFrontierBlockedItem(TypedDict):
    todo_id: str
    priority: Literal["P0", "P1", "P2", "P3", "P4"]
    task_class: Literal["advancement_task", "user_gate", "user_action", "continuous_monitor", "blocker"]
    text: str
    reason_code: str
    next_command: str


class HandoffV1HandoffFrontier(TypedDict):
    runnable: list[HandoffV1HandoffFrontierRunnableItem]
    runnable_total: int
    blocked: list[HandoffV1HandoffFrontierBlockedItem]
    blocked_total: int
    monitors_due: int
    monitors_waiting: int
    deferred: int
    user_open: int


class HandoffV1HandoffGatesOpenItem(TypedDict):
    todo_id: str
    priority: Literal["P0", "P1", "P2", "P3", "P4"]
    task_class: Literal["advancement_task", "user_gate", "user_action", "continuous_monitor", "blocker"]
    text: str
    decision_scope: str | None
    blocks_agent: str | None
    global_gate: bool
    unblocks_todo_id: str | None


class HandoffV1HandoffGates(TypedDict):
    open: list[HandoffV1HandoffGatesOpenItem]
    total: int


class HandoffV1HandoffClaimsHeldItem(TypedDict):
    todo_id: str
    agent_id: str
    held: Literal["claimed", "stale", "leased"]
    until: str


class HandoffV1HandoffClaims(TypedDict):
    """Who is on what; never a token."""

    held: list[HandoffV1HandoffClaimsHeldItem]
    total: int


class HandoffV1HandoffNextAction(TypedDict):
    """The decision's, and beside it what a run said last."""

    text: str
    mode: str
    todo_id: str | None
    commands: list[str]
    stated: str | None
    stated_by: str | None
    stated_on: str | None


class HandoffV1HandoffStopCondition(TypedDict):
    text: str
    source: Literal["run", "acceptance"]
    run_id: str | None
    criteria: list[str]


class MaterialFrontierMaterialRef(TypedDict):
    material_id: str
    relation: str | None
    purpose: str | None


class MaterialFrontier(TypedDict):
    """What the receiver must have read: counts, and at most four references."""

    required_count: int
    current_count: int
    stale_count: int
    missing_count: int
    inaccessible_count: int
    required_unread_count: int
    material_refs: list[MaterialFrontierMaterialRef]
    material_refs_truncated: bool


class Lineage(TypedDict):
    """The chains of one todo."""

    todo_id: str
    predecessor: str | None
    ancestors: list[str]
    ancestors_truncated: bool
    successors: list[str]
    successors_total: int
    supersedes: list[str]
    replaced_by: list[str]


HandoffV1Handoff = TypedDict(
    "HandoffV1Handoff",
    {
        "state": 'Literal["not_ready", "ready_waiting_for_run", "post_handoff_run_seen"]',
        "checks": "HandoffV1HandoffChecks",
        "goal_id": "str",
        "from": "str | None",
        "to": "str",
        "objective": "str",
        "authority": "HandoffV1HandoffAuthority",
        "validation_surface": "HandoffV1HandoffValidationSurface",
        "frontier": "HandoffV1HandoffFrontier",
        "gates": "HandoffV1HandoffGates",
        "claims": "HandoffV1HandoffClaims",
        "next_action": "HandoffV1HandoffNextAction | None",
        "stop_condition": "HandoffV1HandoffStopCondition | None",
        "material_frontier": "MaterialFrontier",
        "lineage": "list[Lineage]",
        "handoff_id": "str | None",
        "recorded_at": "str | None",
        "digest": "str",
        "evaluated_at": "str",
        "state_sequence": "int",
    },
)


class HandoffV1(TypedDict):
    """A recovery packet: what a peer that never saw the conversation goes on from. It starts nothing."""

    schema_version: Literal["handoff_v1"]
    ok: Literal[True]
    handoff: HandoffV1Handoff
    receipt: NotRequired[Receipt]
    dry_run: NotRequired[Literal[True]]
    state: str
    warnings: list[str]


class Decision(TypedDict):
    """A person's answer to a gate."""

    verdict: Literal["approve", "reject"]
    note: str | None
    decided_by: str
    decided_at: str
    standing: bool
    revoked_at: str | None


class Mark(TypedDict):
    """Why a todo is not free to take."""

    mark: Literal["GATED", "LEASED", "STALE"]
    who: str
    by: str | None
    until: str | None
    reason_code: str | None


class TodoFull(TypedDict):
    """Everything that is stored of a todo, and what follows from it."""

    todo_id: str
    goal_id: str
    sequence: int
    role: Literal["agent", "user"]
    task_class: Literal["advancement_task", "user_gate", "user_action", "continuous_monitor", "blocker"]
    status: Literal["open", "done", "blocked", "deferred"]
    closure: Literal["completed", "completed_no_followup", "failed", "superseded"] | None
    priority: Literal["P0", "P1", "P2", "P3", "P4"]
    text: str
    action_kind: str | None
    suggested_peer: str | None
    claimed_by: str | None
    claim_expires_at: str | None
    claim_stale: bool
    lease: Lease | None
    attempts: int
    attempt_notes: NotRequired[int]
    last_holder: str | None
    blocked_by: list[str]
    unmet_dependencies: int
    block_reason: str | None
    required_capabilities: list[str]
    target_capability: str | None
    task_repository: str | None
    required_write_scopes: list[str]
    required_decision_scopes: list[str]
    decision_scope: str | None
    blocks_agent: str | None
    global_gate: bool
    unblocks_todo_id: str | None
    decision: Decision | None
    excluded_agents: list[str]
    bound_agent: str | None
    continuation_policy: Literal["independent_handoff", "same_agent_non_delivery"]
    resume_when: str | None
    next_due_at: str | None
    poll_every_seconds: float | None
    consecutive_no_change: int
    expires_at: str | None
    acceptance: list[str]
    validation_command: list[str] | None
    validation_timeout_seconds: float | None
    predecessor: str | None
    successors: list[str]
    superseded_by: str | None
    evidence: str | None
    completion_rationale: str | None
    no_followup: bool
    created_at: str
    updated_at: str
    closed_at: str | None
    archived_at: NotRequired[str]
    version: int
    marks: NotRequired[list[Mark]]


class GrantOfGoal(TypedDict):
    goal_id: str
    agent_id: str
    actions: list[Literal["complete", "reassign", "supersede"]]
    requires_reason: bool


class InboxV1(TypedDict):
    """What waits for a person."""

    schema_version: Literal["inbox_v1"]
    ok: Literal[True]
    todos: list[TodoFull]
    total: int
    truncated: bool
    next_cursor: str | None
    hand_made_grants: list[GrantOfGoal]
    notified: NotRequired[list[str]]
    state: str
    warnings: list[str]


class InitV1(TypedDict):
    """A project's state that was made."""

    schema_version: Literal["init_v1"]
    ok: Literal[True]
    goals: list[Goal]
    receipt: Receipt
    dry_run: NotRequired[Literal[True]]
    state: str
    warnings: list[str]


class LogV1Event(TypedDict):
    sequence: int
    at: str
    actor_kind: Literal["user", "agent", "system"]
    actor: str
    action: str
    goal_id: str | None
    todo_id: str | None
    changes: dict[str, dict[str, dict[str, list[Any]]]]
    changes_total: int
    reason: str | None
    receipt: dict[str, Any]
    operation_id: str
    payload_version: int
    previous_digest: str
    digest: str


class LogV1(TypedDict):
    """A page of the history, oldest first."""

    schema_version: Literal["log_v1"]
    ok: Literal[True]
    events: list[LogV1Event]
    total: int
    truncated: bool
    next_cursor: str | None
    state: str
    warnings: list[str]


class Message(TypedDict):
    message_id: str
    goal_id: str
    sequence: int
    sender: str
    recipient: str
    kind: Literal[
        "text", "report", "plan_submitted", "plan_approved", "plan_rejected", "shutdown_request", "shutdown_accepted"
    ]
    text: str
    text_truncated: NotRequired[Literal[True]]
    request_id: str | None
    todo_id: str | None
    sent_at: str
    acked_at: str | None
    unread_seconds: int | None


class Mailbox(TypedDict):
    """The mailbox that the message is in: how much of it waits, and since when."""

    owner: str
    unread: int
    oldest_unread_at: str | None
    oldest_unread_seconds: int | None


class MessageListV1(TypedDict):
    """A page of messages, oldest first."""

    schema_version: Literal["message_list_v1"]
    ok: Literal[True]
    messages: list[Message]
    total: int
    truncated: bool
    next_cursor: str | None
    mailbox: Mailbox | None
    state: str
    warnings: list[str]


class MessageV1(TypedDict):
    """One message, and the mailbox that it is in."""

    schema_version: Literal["message_v1"]
    ok: Literal[True]
    message: Message
    mailbox: Mailbox
    receipt: NotRequired[Receipt | None]
    dry_run: NotRequired[Literal[True]]
    state: str
    warnings: list[str]


class Todo(TypedDict):
    todo_id: str
    goal_id: str
    sequence: int
    status: Literal["open", "done", "blocked", "deferred"]
    closure: Literal["completed", "completed_no_followup", "failed", "superseded"] | None
    task_class: Literal["advancement_task", "user_gate", "user_action", "continuous_monitor", "blocker"]
    priority: Literal["P0", "P1", "P2", "P3", "P4"]
    claimed_by: str | None
    claim_expires_at: str | None
    text: str
    text_truncated: NotRequired[Literal[True]]
    marks: NotRequired[list[Mark]]
    role: NotRequired[Literal["agent", "user"]]
    action_kind: NotRequired[str | None]
    suggested_peer: NotRequired[str | None]
    claim_stale: NotRequired[bool]
    lease: NotRequired[Lease | None]
    attempts: NotRequired[int]
    attempt_notes: NotRequired[int]
    last_holder: NotRequired[str | None]
    blocked_by: NotRequired[list[str]]
    unmet_dependencies: NotRequired[int]
    block_reason: NotRequired[str | None]
    required_capabilities: NotRequired[list[str]]
    target_capability: NotRequired[str | None]
    task_repository: NotRequired[str | None]
    required_write_scopes: NotRequired[list[str]]
    required_decision_scopes: NotRequired[list[str]]
    decision_scope: NotRequired[str | None]
    blocks_agent: NotRequired[str | None]
    global_gate: NotRequired[bool]
    unblocks_todo_id: NotRequired[str | None]
    decision: NotRequired[Decision | None]
    excluded_agents: NotRequired[list[str]]
    bound_agent: NotRequired[str | None]
    continuation_policy: NotRequired[Literal["independent_handoff", "same_agent_non_delivery"]]
    resume_when: NotRequired[str | None]
    next_due_at: NotRequired[str | None]
    poll_every_seconds: NotRequired[float | None]
    consecutive_no_change: NotRequired[int]
    expires_at: NotRequired[str | None]
    acceptance: NotRequired[list[str]]
    validation_command: NotRequired[list[str] | None]
    validation_timeout_seconds: NotRequired[float | None]
    predecessor: NotRequired[str | None]
    successors: NotRequired[list[str]]
    superseded_by: NotRequired[str | None]
    evidence: NotRequired[str | None]
    completion_rationale: NotRequired[str | None]
    no_followup: NotRequired[bool]
    created_at: NotRequired[str]
    updated_at: NotRequired[str]
    closed_at: NotRequired[str | None]
    archived_at: NotRequired[str]
    version: NotRequired[int]


class MonitorPollV1(TypedDict):
    """What one read-only poll found, and what follows from it."""

    schema_version: Literal["monitor_poll_v1"]
    ok: Literal[True]
    todo: Todo
    consecutive_no_change: int
    next_due_at: str
    successors: list[str]
    successors_total: int
    receipt: Receipt
    dry_run: NotRequired[Literal[True]]
    state: str
    warnings: list[str]


class QuotaShouldRunV1SelectedTodo(TypedDict):
    todo_id: str
    priority: Literal["P0", "P1", "P2", "P3", "P4"]
    text: str
    task_class: Literal["advancement_task", "continuous_monitor"]
    claimed_by: str | None
    suggested_peer: str | None


class InteractionContractV1CliChannelDeliveryWorkspaceCausality(TypedDict):
    """Present where the selected todo names a repository."""

    task_repository: str
    workspace_kind: (
        Literal["not_git_worktree", "foreign_git_worktree", "canonical_checkout", "independent_git_worktree"] | None
    )
    peer_independent_worktree_required: bool


class InteractionContractV1CliChannel(TypedDict):
    next_cli_actions: list[str]
    spend_allowed_now: Literal[False]
    spend_after_validation: bool
    spend_policy: str
    delivery_workspace_causality: NotRequired[InteractionContractV1CliChannelDeliveryWorkspaceCausality]


class InteractionContractV1UserChannelTodo(TypedDict):
    """A gate's question. The answer is not in the command: on a terminal it asks."""

    todo_id: str
    text: str
    task_class: Literal["user_gate"]
    decision_scope: str | None
    blocks_agent: str | None
    global_gate: bool
    unblocks_todo_id: str | None
    answer_command: str


class InteractionContractV1UserChannel(TypedDict):
    action_required: bool
    open_count: int
    todos: list[InteractionContractV1UserChannelTodo]
    reason: str


class InteractionContractV1AgentChannelBlockingItem(TypedDict):
    todo_id: str
    reason_code: str
    next_command: str


class InteractionContractV1AgentChannel(TypedDict):
    must_attempt: bool
    delivery_allowed: bool
    quiet_noop_allowed: bool
    primary_action: str
    blocking: list[InteractionContractV1AgentChannelBlockingItem]
    blocking_total: int


class InteractionContractV1(TypedDict):
    """What one agent, its harness and a person do now."""

    schema_version: Literal["interaction_contract_v1"]
    mode: Literal[
        "bounded_delivery",
        "monitor_poll",
        "control_plane_self_repair",
        "capability_repair",
        "workspace_repair",
        "replan",
        "user_gate",
        "owner_authorization",
        "quota_wait",
        "wait_peers",
        "quiet_wait",
        "paused",
        "terminal_no_followup",
    ]
    cli_channel: InteractionContractV1CliChannel
    user_channel: InteractionContractV1UserChannel
    agent_channel: InteractionContractV1AgentChannel


class QuotaShouldRunV1BypassBoundaryItem(TypedDict):
    todo_id: str
    decision_scope: str | None


class QuotaShouldRunV1RepairError(TypedDict):
    reason_code: str
    todo_id: NotRequired[str]
    user_todo_id: NotRequired[str]
    dependency_id: NotRequired[str]


class QuotaShouldRunV1Repair(TypedDict):
    kind: Literal["todo_decision_scope_projection_repair", "todo_graph_repair"]
    errors: list[QuotaShouldRunV1RepairError]
    errors_total: int
    next_commands: list[str]


class QuotaShouldRunV1CapabilityGateRunnableCandidate(TypedDict):
    todo_id: str


class QuotaShouldRunV1CapabilityGateBlockedCandidate(TypedDict):
    todo_id: str
    missing: list[str]
    missing_kind: Literal["tool", "authority"]


class QuotaShouldRunV1CapabilityGate(TypedDict):
    action: Literal["run", "repair_capability_bridge", "request_owner_authorization"]
    decision_owner: Literal["agent", "owner"]
    selection_policy: Literal["agent_steering_audit_over_runnable_candidates"] | None
    runnable_candidates: list[QuotaShouldRunV1CapabilityGateRunnableCandidate]
    blocked_candidates: list[QuotaShouldRunV1CapabilityGateBlockedCandidate]
    blocked_total: int
    runnable_count: int
    blocks_delivery: bool


class QuotaShouldRunV1AgentWorkspaceGuard(TypedDict):
    action: Literal["move_to_independent_worktree"]
    current_workspace: Literal["not_git_worktree", "foreign_git_worktree", "canonical_checkout"]
    required_workspace: Literal["independent_git_worktree"]
    blocks_delivery: Literal[True]
    task_repository: str | None
    peer_independent_worktree_required: Literal[True]


class QuotaShouldRunV1Frontier(TypedDict):
    runnable: int
    blocked: int
    monitors_due: int
    monitors_waiting: int
    deferred: int
    user_open: int


class QuotaShouldRunV1SchedulerHint(TypedDict):
    next_wake_at: str | None
    poll_after_seconds: int | None
    cadence: Literal["run_now", "wait_until", "on_event", "stop"]
    resets_at: NotRequired[str]


class QuotaShouldRunV1ExplainDrop(TypedDict):
    todo_id: str
    stage: str
    reason_code: str
    facts: dict[str, Any]
    next_command: str


class QuotaShouldRunV1Explain(TypedDict):
    """With `--explain`: a page of every obstacle of every todo."""

    drops: list[QuotaShouldRunV1ExplainDrop]
    total: int
    truncated: bool
    next_cursor: str | None


class QuotaShouldRunV1(TypedDict):
    """The decision for one agent, at most 4,096 bytes without `explain`."""

    schema_version: Literal["quota_should_run_v1"]
    ok: Literal[True]
    state: str
    should_run: bool
    reason: str
    goal_id: str
    agent_id: str
    selected_todo: QuotaShouldRunV1SelectedTodo | None
    interaction_contract: InteractionContractV1
    safe_bypass_allowed: bool
    bypass_boundary: list[QuotaShouldRunV1BypassBoundaryItem]
    bypass_boundary_total: int
    repair: QuotaShouldRunV1Repair | None
    capability_gate: QuotaShouldRunV1CapabilityGate | None
    agent_workspace_guard: QuotaShouldRunV1AgentWorkspaceGuard | None
    frontier: QuotaShouldRunV1Frontier
    scheduler_hint: QuotaShouldRunV1SchedulerHint
    evaluated_at: str
    state_sequence: int
    warnings: list[str]
    explain: NotRequired[QuotaShouldRunV1Explain]


class Amounts(TypedDict):
    """What was spent."""

    slots: int
    tokens: int
    cost: float
    seconds: float


class QuotaStatusV1QuotaItemByAgentItem(TypedDict):
    agent_id: str
    slots: int
    tokens: int
    cost: float
    seconds: float


class QuotaStatusV1QuotaItemByDayItem(TypedDict):
    day: str
    slots: int
    tokens: int
    cost: float
    seconds: float


class QuotaStatusV1QuotaItem(TypedDict):
    """The budget of a goal, what its window holds, and of whom and when that is."""

    goal_id: str
    slots: int | None
    tokens: int | None
    cost: float | None
    window: str | None
    used: Amounts
    resets_at: str | None
    by_agent: list[QuotaStatusV1QuotaItemByAgentItem]
    by_day: list[QuotaStatusV1QuotaItemByDayItem]


class QuotaStatusV1(TypedDict):
    """Budgets and what is used of them, goal by goal."""

    schema_version: Literal["quota_status_v1"]
    ok: Literal[True]
    quota: list[QuotaStatusV1QuotaItem]
    total: int
    truncated: bool
    next_cursor: str | None
    state: str
    warnings: list[str]


class RunV1RunDeliveryWorkspace(TypedDict):
    """Where it was done, without path or credential."""

    task_repository: str | None
    workspace_kind: Literal[
        "not_git_worktree", "foreign_git_worktree", "canonical_checkout", "independent_git_worktree"
    ]
    peer_independent_worktree_required: bool


class RunV1Run(TypedDict):
    run_id: str
    goal_id: str
    todo_id: str
    agent_id: str
    run_kind: Literal["work", "status"]
    validated: bool
    evidence: str
    validation: str | None
    next_action: str | None
    stop_condition: str | None
    delivery_workspace: RunV1RunDeliveryWorkspace
    recorded_at: str


class RunV1(TypedDict):
    """A run that an agent wrote back."""

    schema_version: Literal["run_v1"]
    ok: Literal[True]
    run: RunV1Run
    receipt: Receipt
    dry_run: NotRequired[Literal[True]]
    state: str
    warnings: list[str]


class SpendV1Spend(TypedDict):
    run_id: str
    goal_id: str
    agent_id: str
    slots: Literal[1]
    tokens: int
    cost: float
    seconds: float
    spent_at: str


class Quota(TypedDict):
    """The budget of a goal, and what its window holds."""

    goal_id: str
    slots: int | None
    tokens: int | None
    cost: float | None
    window: str | None
    used: Amounts
    resets_at: str | None


class SpendV1(TypedDict):
    """One slot that was booked for a validated run."""

    schema_version: Literal["spend_v1"]
    ok: Literal[True]
    spend: SpendV1Spend
    quota: Quota
    receipt: Receipt
    dry_run: NotRequired[Literal[True]]
    state: str
    warnings: list[str]


class StatusV1GoalCounts(TypedDict):
    open: int
    ready: int
    blocked: int
    deferred: int
    closed: int


class StatusV1Counts(TypedDict):
    open: int
    ready: int
    blocked: int
    deferred: int


class StatusV1GoalByClass(TypedDict):
    advancement_task: NotRequired[StatusV1Counts]
    user_gate: NotRequired[StatusV1Counts]
    user_action: NotRequired[StatusV1Counts]
    continuous_monitor: NotRequired[StatusV1Counts]
    blocker: NotRequired[StatusV1Counts]


class StatusV1GoalWorkItem(TypedDict):
    todo_id: str
    priority: Literal["P0", "P1", "P2", "P3", "P4"]
    text: str
    agent_id: str
    held: Literal["claimed", "stale", "leased"]
    until: str


class StatusV1GoalGate(TypedDict):
    todo_id: str
    priority: Literal["P0", "P1", "P2", "P3", "P4"]
    text: str
    decision_scope: str | None
    blocks_agent: str | None
    global_gate: bool
    unblocks_todo_id: str | None


class StatusV1GoalUnmetCriteriaItem(TypedDict):
    id: str
    text: str


class StatusV1Goal(TypedDict):
    goal_id: str
    objective: str
    state: Literal["active", "paused", "closed"]
    counts: StatusV1GoalCounts
    by_class: StatusV1GoalByClass
    work: list[StatusV1GoalWorkItem]
    work_total: int
    gates: list[StatusV1GoalGate]
    gates_total: int
    unmet_criteria: list[StatusV1GoalUnmetCriteriaItem]
    unmet_criteria_total: int
    missing: list[Gap]


class StatusV1(TypedDict):
    """Goals at a glance."""

    schema_version: Literal["status_v1"]
    ok: Literal[True]
    goals: list[StatusV1Goal]
    total: int
    truncated: bool
    next_cursor: str | None
    state: str
    warnings: list[str]


class LeaseAnswer(TypedDict):
    """A lease as `task-lease` and `claim-next` tell it."""

    lease_id: str
    todo_id: str
    version: int
    holder: str
    acquired_at: str
    expires_at: str
    task_repository: str | None
    write_scopes: list[str]
    pool: str | None
    released: bool
    claim_token: NotRequired[str]


class TaskLeaseV0(TypedDict):
    """A lease that was taken, moved or looked at, or a page of the live ones."""

    schema_version: Literal["task_lease_v0"]
    ok: Literal[True]
    lease: NotRequired[LeaseAnswer]
    leases: NotRequired[list[LeaseAnswer]]
    total: NotRequired[int]
    truncated: NotRequired[bool]
    next_cursor: NotRequired[str | None]
    receipt: NotRequired[Receipt]
    dry_run: NotRequired[Literal[True]]
    state: str
    warnings: list[str]


class TodoCompleteV1(TypedDict):
    """A todo that was closed with its evidence."""

    schema_version: Literal["todo_complete_v1"]
    ok: Literal[True]
    todo: Todo
    closure: Literal["completed", "completed_no_followup", "failed", "superseded"] | None
    successors: list[str]
    successors_total: int
    unblocked: list[str]
    unblocked_total: int
    receipt: Receipt
    dry_run: NotRequired[Literal[True]]
    state: str
    warnings: list[str]


class TodoListV1(TypedDict):
    """A page of todos or gates, in creation order."""

    schema_version: Literal["todo_list_v1"]
    ok: Literal[True]
    todos: list[Todo]
    total: int
    truncated: bool
    next_cursor: str | None
    state: str
    warnings: list[str]


class TodoSupersedeV1(TypedDict):
    """A todo that was replaced."""

    schema_version: Literal["todo_supersede_v1"]
    ok: Literal[True]
    todo: Todo
    successors: list[str]
    successors_total: int
    moved_dependents: list[str]
    moved_dependents_total: int
    receipt: Receipt
    dry_run: NotRequired[Literal[True]]
    state: str
    warnings: list[str]


class TodoV1OriginSource(TypedDict):
    source: str
    source_id: str


class TodoV1Origin(TypedDict):
    """In `todo show` of an imported todo: where it came from."""

    sources: list[TodoV1OriginSource]
    kept: dict[str, Any]


class TodoV1(TypedDict):
    """One todo: read whole, or after a change of it."""

    schema_version: Literal["todo_v1"]
    ok: Literal[True]
    todo: Todo
    lineage: NotRequired[Lineage | None]
    origin: NotRequired[TodoV1Origin]
    receipt: NotRequired[Receipt]
    dry_run: NotRequired[Literal[True]]
    state: str
    warnings: list[str]


class TodoWhyV1Stage(TypedDict):
    stage: str
    passed: bool
    reason_code: str | None
    facts: dict[str, Any]
    next_command: str | None


class TodoWhyV1(TypedDict):
    """Every stage of the decision that a todo passes or fails for one agent."""

    schema_version: Literal["todo_why_v1"]
    ok: Literal[True]
    todo_id: str
    runnable: bool
    stages: list[TodoWhyV1Stage]
    state: str
    warnings: list[str]


class WhereV1Database(TypedDict):
    engine: Literal["sqlite", "postgresql"]
    path: str
    exists: bool
    schema: int


class WhereV1Filesystem(TypedDict):
    type: str | None
    writable: bool


class WhereV1Versions(TypedDict):
    loopx: str
    schema: int
    sqlite: str
    python: str


class WhereV1(TypedDict):
    """Which state a call uses, how it was found, and the versions; the only document that tells a path."""

    schema_version: Literal["where_v1"]
    ok: Literal[True]
    state_dir: str
    root: str
    found_by: Literal["option", "environment", "walk", "worktree", "database"]
    registry: str
    database: WhereV1Database
    filesystem: WhereV1Filesystem
    versions: WhereV1Versions
    state: str
    warnings: list[str]
