"""What turns one message into work: a program, or a chat model with tools.

The worker decides what is handed over, keeps the lease alive meanwhile, and writes back what came of it. A
runner only works. It never claims, and the todo is completed by an explicit call with the claim token,
never by what a runner returns (S4.4).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import asyncio

    from loopx.core.instant import Duration


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """One piece of work for a runner, with the identity that it works under.

    `message` is all that the agent is told: an automatic claim, mail, or a lead's prompt; words of others in
    it are marked as data. `run_id` is the idempotency key of the run: the claim token where a todo was
    claimed (S2.7), otherwise the id of the message. Once `cancel` is set the runner stops at the next safe
    point and returns; after a grace it is stopped from outside.
    """

    goal_id: str
    agent_id: str
    role: str  # lead, subagent or teammate
    message: str
    run_id: str
    folder: str  # where the work is done
    state_root: str  # the folder that holds the project's state
    todo_id: str | None = None
    claim_token: str | None = None
    lease_id: str | None = None
    lead: str | None = None  # the mailbox that the final text goes to
    message_id: str | None = None
    timeout: Duration | None = None  # microseconds
    cancel: asyncio.Event


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """How a run ended: its final text for the lead, and what it cost. Nothing of it completes a todo.

    `succeeded` is the runner's own view: a program's exit 0, a model's orderly end.
    """

    succeeded: bool
    text: str = ""
    summary: str = ""  # one line of how it ended, such as `exit 3` or `timed out after 10m`
    tokens: int = 0
    cost: float = 0.0
    facts: dict[str, object] = field(default_factory=dict)  # for the log: exit code, log file, …


class Runner(Protocol):
    """Turns an assignment into work."""

    @property
    def name(self) -> str:
        """What `team status` calls it, such as `command` or the model's name."""
        ...

    async def run(self, assignment: Assignment) -> RunResult:
        """Work on it until it is done, fails, or `assignment.cancel` is set.

        Leaves no process, task or thread behind, however it ends; cancelled from outside it still tidies up.
        """
        ...
