"""The todo: its values, its two independent axes, and what each of them means (W1).

`task_class` is the routing lane and `status` the lifecycle; neither is ever inferred from the
other (W1.4). What a stage of the decision compares between todos sits in `Route`, so that
todos of equal route can be decided on together.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from loopx.core.instant import DAY, Duration, Instant
from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Container

DEFAULT_PRIORITY = 2
STALE_AFTER: Duration = DAY  # a soft claim without `--ttl`
NO_CHANGE_LIMIT = 10  # polls without change before a monitor asks for a new plan


class Role(StrEnum):
    AGENT = "agent"  # a registered peer can advance it
    USER = "user"  # a person decides or acts


class TaskClass(StrEnum):
    ADVANCEMENT = "advancement_task"  # the only ordinary executable work
    USER_GATE = "user_gate"  # a decision that holds a scope
    USER_ACTION = "user_action"  # a person acts; holds nothing
    MONITOR = "continuous_monitor"  # one read-only poll when due
    BLOCKER = "blocker"  # a known fact with a recovery condition


class Status(StrEnum):
    OPEN = "open"  # not the same as runnable
    DONE = "done"
    BLOCKED = "blocked"  # held by a stated reason or link
    DEFERRED = "deferred"  # sleeps until its resume condition, or superseded for good


class Closure(StrEnum):
    COMPLETED = "completed"
    NO_FOLLOWUP = "completed_no_followup"
    FAILED = "failed"
    SUPERSEDED = "superseded"


class ContinuationPolicy(StrEnum):
    INDEPENDENT_HANDOFF = "independent_handoff"  # the default: any eligible peer goes on (W10.2)
    SAME_AGENT = "same_agent_non_delivery"  # the same agent keeps the successor


class Verdict(StrEnum):
    APPROVE = "approve"
    REJECT = "reject"


CLASSES_OF_ROLE = {
    Role.AGENT: (TaskClass.ADVANCEMENT, TaskClass.MONITOR, TaskClass.BLOCKER),
    Role.USER: (TaskClass.USER_ACTION, TaskClass.USER_GATE),
}
DEFAULT_CLASS = {Role.AGENT: TaskClass.ADVANCEMENT, Role.USER: TaskClass.USER_ACTION}


class Route(Value):
    """The fields by which the decision routes; equal routes form a group."""

    goal_id: str
    task_class: TaskClass
    required_capabilities: tuple[str, ...] = ()
    task_repository: str | None = None
    required_write_scopes: tuple[str, ...] = ()
    required_decision_scopes: tuple[str, ...] = ()
    excluded_agents: tuple[str, ...] = ()
    bound_agent: str | None = None

    def is_open_to(self, agent_id: str) -> bool:
        """Whether it may be that agent's work: not excluded from it, and bound to nobody else (W3.4)."""
        return agent_id not in self.excluded_agents and self.bound_agent in (None, agent_id)


class Claim(Value):
    """Soft ownership (W3): shows who is on it; stale from `expires_at` on."""

    agent_id: str
    claimed_at: Instant
    expires_at: Instant

    def counts(self, now: Instant, active_agents: Container[str]) -> bool:
        """Whether it holds anything at `now`: its time is not over and its agent not retired (design.md §4)."""
        return now < self.expires_at and self.agent_id in active_agents


class Lease(Value):
    """Hard ownership (W5), valid in `[acquired_at, expires_at)`; `version` only rises.

    It may also hold write scopes of a repository, or one place in a pool.
    """

    lease_id: str
    todo_id: str
    holder: str
    version: int
    acquired_at: Instant
    expires_at: Instant
    claim_token: str
    repository: str | None = None
    write_scopes: tuple[str, ...] = ()
    pool: str | None = None

    def is_live(self, now: Instant) -> bool:
        """Whether `now` lies before the half-open interval's end (S2.5)."""
        return now < self.expires_at


class Decision(Value):
    """A person's answer to a gate, kept with who and when (W6.8)."""

    verdict: Verdict
    decided_at: Instant
    decided_by: str
    note: str | None = None
    standing: bool = False
    revoked_at: Instant | None = None


class Gate(Value):
    """What a `user_gate` decides, whom it holds and what it frees (W6.2)."""

    decision_scope: str | None = None
    blocks_agent: str | None = None
    global_gate: bool = False
    unblocks_todo_id: str | None = None
    decision: Decision | None = None


class Polling(Value):
    """A monitor's own clock and counter (W7.5)."""

    next_due_at: Instant
    poll_every: Duration | None = None
    consecutive_no_change: int = 0
    expires_at: Instant | None = None


class Validation(Value):
    """A command that must exit 0 before the todo completes."""

    argv: tuple[str, ...]
    timeout: Duration


class Resume(Value):
    """When a deferred todo wakes (W10.5): canonical `kind` and `ref`; `at` only for kind `at`."""

    kind: str
    ref: str
    at: Instant | None = None

    @property
    def text(self) -> str:
        """The canonical spelling, `kind:ref`."""
        return f"{self.kind}:{self.ref}"


class Todo(Value):
    """One node of the work graph. `sequence` is creation order and breaks every tie (S1.2)."""

    todo_id: str
    sequence: int
    role: Role
    status: Status
    priority: int
    text: str
    route: Route
    created_at: Instant
    updated_at: Instant
    version: int = 1
    closure: Closure | None = None
    action_kind: str | None = None
    target_capability: str | None = None
    continuation_policy: ContinuationPolicy = ContinuationPolicy.INDEPENDENT_HANDOFF
    claim: Claim | None = None
    lease: Lease | None = None
    lease_version: int = 0
    blocked_by: tuple[str, ...] = ()
    unmet: int = 0
    broken: int = 0
    block_reason: str | None = None
    resume: Resume | None = None
    gate: Gate | None = None
    polling: Polling | None = None
    acceptance: tuple[str, ...] = ()
    validation: Validation | None = None
    evidence: str | None = None
    completion_rationale: str | None = None
    no_followup: bool = False
    attempts: int = 0
    last_holder: str | None = None
    closed_at: Instant | None = None
    predecessors: tuple[str, ...] = ()
    successors: tuple[str, ...] = ()
    superseded_by: str | None = None

    @property
    def goal_id(self) -> str:
        return self.route.goal_id

    @property
    def task_class(self) -> TaskClass:
        return self.route.task_class

    @property
    def is_closed(self) -> bool:
        """Done, failed or superseded: nothing changes its status any more."""
        return self.closure is not None

    @property
    def rank(self) -> tuple[int, int]:
        """Priority, then creation order: the same answer every time (W1.5, S1.2)."""
        return (self.priority, self.sequence)

    def live_lease(self, now: Instant) -> Lease | None:
        """The lease, unless its time is over."""
        return self.lease if self.lease is not None and self.lease.is_live(now) else None
