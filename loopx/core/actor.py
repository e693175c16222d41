"""Who acts: a person, or one registered agent."""

from __future__ import annotations

from enum import StrEnum

from loopx.core.value import Value


class ActorKind(StrEnum):
    USER = "user"  # a person; the default where no agent is named
    AGENT = "agent"


class Actor(Value):
    """The author of a mutation; `agent_id` is None exactly for a person."""

    kind: ActorKind
    agent_id: str | None = None
