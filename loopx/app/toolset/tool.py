"""What a tool is: a name, a line of help, a strict schema, the roles that have it, and a use case behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.app.lease import DEFAULT_TTL
from loopx.app.mutation import Call
from loopx.core.actor import Actor, ActorKind
from loopx.core.value import Value
from loopx.settings import ROLES, TEAMMATE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from loopx.app.mutation import Document
    from loopx.app.project import Project
    from loopx.core.instant import Duration

Arguments = dict[str, Any]  # what the model sent, once it satisfies the tool's schema

LEAD_ROLES = tuple(role for role in ROLES if role != TEAMMATE)  # those that may shape the work graph (S3.2)


class ToolContext(Value):
    """Who calls, in what role, about which goal, and in which run; the model has no say in any of it (S2.3).

    `run_id` is the evidence of a completion that brings none, `capabilities` is what this worker can do, and
    `folder` where it works. `operation_id` makes the retry of one call safe.
    """

    project: Project
    identity: str
    role: str
    run_id: str
    goal_id: str | None = None
    ttl: Duration = DEFAULT_TTL
    capabilities: tuple[str, ...] | None = None
    folder: str | None = None
    operation_id: str | None = None

    def call(self, action: str, arguments: Arguments, **more: Any) -> Call:
        """The mutating call of this agent; its intent is the arguments."""
        return Call(
            action=action,
            actor=Actor(ActorKind.AGENT, self.identity),
            intent=[self.goal_id, self.identity, arguments],
            goal_id=self.goal_id,
            operation_id=self.operation_id,
            role=self.role,
            **more,
        )


class Tool(Value):
    """One tool. `writes` says that it changes something; what `starts_work` waits for the approval of a plan (S4.3)."""

    name: str
    description: str
    schema: Mapping[str, Any]
    roles: tuple[str, ...]
    handler: Callable[[ToolContext, Arguments], Document]
    writes: bool = False
    starts_work: bool = False
