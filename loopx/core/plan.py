"""A plan: what an agent means to do. Its newest one is the gate of all that the agent starts (S4.3)."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any

from loopx.core.value import Value

if TYPE_CHECKING:
    from loopx.core.instant import Instant


class PlanStatus(StrEnum):
    PENDING = "pending"  # closes the gate
    APPROVED = "approved"  # opens it
    REJECTED = "rejected"  # closes it until another plan is approved
    REPLACED = "replaced"  # the agent submitted a newer one before an answer came


CLOSED_BY = frozenset((PlanStatus.PENDING, PlanStatus.REJECTED))


class Plan(Value):
    """One plan; `sequence` is that of the event that submitted it."""

    plan_id: str
    sequence: int
    goal_id: str
    agent_id: str
    reviewer: str
    body: str
    status: PlanStatus
    submitted_at: Instant
    answered_at: Instant | None = None
    answered_by: str | None = None
    note: str | None = None

    @property
    def is_closed(self) -> bool:
        """Whether, as the newest plan of its agent, it keeps the agent from starting work."""
        return self.status in CLOSED_BY

    def record(self) -> dict[str, Any]:
        """The stored row."""
        return {name: str(value) if name == "status" else value for name, value in zip(self._fields, self, strict=True)}
