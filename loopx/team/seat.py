"""The place at which a worker sits: the project, its goal, and the identity that every call is made under."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from loopx.app.mutation import Call
from loopx.core.actor import Actor, ActorKind

if TYPE_CHECKING:
    from loopx.app.project import Project


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """Who works on what; `lead` is the mailbox for final texts, `folder` where the work is done."""

    project: Project
    goal_id: str
    agent_id: str
    role: str
    folder: str
    lead: str | None = None
    capabilities: tuple[str, ...] | None = None

    def call(self, action: str, **more: Any) -> Call:
        """A mutating call of this agent in its role."""
        actor = Actor(ActorKind.AGENT, self.agent_id)
        return Call(action=action, actor=actor, intent=None, goal_id=self.goal_id, role=self.role, **more)
