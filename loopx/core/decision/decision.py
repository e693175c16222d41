"""The decision as a value: one mode, and everything that follows from it for three channels (W7.1)."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from loopx.core.decision.reason import RUNS, Mode, ReasonCode
from loopx.core.value import Value

if TYPE_CHECKING:
    from loopx.core.capability import CapabilityKind
    from loopx.core.instant import Instant
    from loopx.core.todo import Todo
    from loopx.core.workspace import WorkspaceKind


class Cadence(StrEnum):
    """When to ask again."""

    RUN_NOW = "run_now"
    WAIT_UNTIL = "wait_until"  # something changes by itself at `next_wake_at`
    ON_EVENT = "on_event"  # only somebody's act changes it
    STOP = "stop"


class GateAction(StrEnum):
    """What the capability gate asks for (W8)."""

    RUN = "run"
    REPAIR_BRIDGE = "repair_capability_bridge"
    REQUEST_OWNER = "request_owner_authorization"


class RepairKind(StrEnum):
    DECISION_SCOPE = "todo_decision_scope_projection_repair"  # a gate does not say whom it holds (W6.3)
    GRAPH = "todo_graph_repair"  # a todo states something that can never come true


class Selected(Value):
    """The one todo to work on. `suggested_peer` is a suggestion for unclaimed work only (W2.3)."""

    todo: Todo
    claimed_by: str | None
    suggested_peer: str | None


class HeldRow(Value):
    """A todo that is not runnable, why, and what to run about it."""

    todo_id: str
    reason_code: ReasonCode
    next_command: str


class Bypassed(Value):
    """Work that a gate holds and that must not be touched meanwhile (W7.2)."""

    todo_id: str
    decision_scope: str | None


class Question(Value):
    """An open item of a person; a capability request has no todo of its own class (`item` None)."""

    todo_id: str
    text: str
    answer_command: str
    item: Todo | None = None


class UserChannel(Value):
    """What a person is asked; `action_required` says that this agent waits for some of it."""

    action_required: bool
    open_count: int
    questions: tuple[Question, ...]
    reason: str


class RepairError(Value):
    """One statement to mend: the todo or the gate that makes it."""

    reason_code: ReasonCode
    todo_id: str | None = None
    user_todo_id: str | None = None
    dependency_id: str | None = None


class Repair(Value):
    kind: RepairKind
    errors: tuple[RepairError, ...]
    errors_total: int
    next_commands: tuple[str, ...]


class BlockedCandidate(Value):
    """What one kind of missing capability keeps from a todo; the two kinds have rows of their own."""

    todo_id: str
    missing: tuple[str, ...]
    kind: CapabilityKind


class CapabilityGate(Value):
    """W8: the set to choose from, or what is asked for where there is none."""

    action: GateAction
    runnable: tuple[str, ...]
    runnable_count: int
    blocked: tuple[BlockedCandidate, ...]
    blocked_total: int


class DeliveryWorkspace(Value):
    """Where the selected todo is delivered, as identity without path or credential (W9.3)."""

    task_repository: str
    workspace_kind: WorkspaceKind | None
    needs_own_worktree: bool


class WorkspaceGuard(Value):
    """The place is not fit; `task_repository` None means any repository (W9.2)."""

    current: str
    task_repository: str | None


class Frontier(Value):
    """How many todos of each kind; what is held is never counted as runnable."""

    runnable: int
    blocked: int
    monitors_due: int
    monitors_waiting: int
    deferred: int
    user_open: int


class SchedulerHint(Value):
    next_wake_at: Instant | None
    poll_after_seconds: int | None
    cadence: Cadence
    resets_at: Instant | None = None


class Decision(Value):
    """What one agent does now, why, and what it and others are told."""

    state: str
    sequence: int
    goal_id: str
    agent_id: str
    evaluated_at: Instant
    mode: Mode
    reason: str
    primary_action: str
    selected: Selected | None
    next_actions: tuple[str, ...]
    delivery_workspace: DeliveryWorkspace | None
    user: UserChannel
    blocking: tuple[HeldRow, ...]
    blocking_total: int
    bypass: tuple[Bypassed, ...]
    bypass_total: int
    repair: Repair | None
    capability_gate: CapabilityGate | None
    workspace_guard: WorkspaceGuard | None
    frontier: Frontier
    hint: SchedulerHint

    @property
    def should_run(self) -> bool:
        """False for every wait, and where a person must act first."""
        return self.mode in RUNS

    @property
    def delivery_allowed(self) -> bool:
        """Only bounded delivery writes results and may be spent on."""
        return self.mode is Mode.BOUNDED_DELIVERY

    @property
    def is_safe_bypass(self) -> bool:
        """Whether some higher-priority todo is held by a gate while this one is independent of it."""
        return bool(self.bypass)
