"""A worker: the process, or part of one, in which an agent finds and does work by itself (S4)."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any

from loopx.core.value import Value

if TYPE_CHECKING:
    from loopx.core.instant import Instant


class Ending(StrEnum):
    """Why a worker ended."""

    SHUTDOWN = "shutdown"  # by the typed handshake
    IDLE = "idle"  # it was to end once it found nothing
    TASKS = "tasks"  # it has done as many as it was to do
    BUDGET = "budget"  # the goal's budget is used
    STOPPED = "stopped"  # by a signal, or by whoever started it
    FAILURE = "failure"  # of its own, not of a task


class Worker(Value):
    """The worker that an agent runs in, or ran in last; `lead` is the mailbox that its final texts go to."""

    goal_id: str
    agent_id: str
    worker_id: str
    role: str
    lead: str | None
    runner: str
    started_at: Instant
    ended_at: Instant | None = None
    ended_by: str | None = None
    tasks: int = 0
    completed: int = 0
    idle_timeouts: int = 0

    def record(self) -> dict[str, Any]:
        """The stored row."""
        return dict(zip(self._fields, self, strict=True))
