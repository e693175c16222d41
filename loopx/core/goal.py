"""What the registry says of a goal: its agents, grants, boundary, budget, pools, materials.

These values are decoded on the hot path from the cached registry, so they are NamedTuples.
"""

from __future__ import annotations

from enum import StrEnum

from loopx.core.value import Value


class GoalState(StrEnum):
    ACTIVE = "active"  # decisions are made
    PAUSED = "paused"  # a person stopped it for now
    CLOSED = "closed"  # closed through validated closure


class Criterion(Value):
    """One acceptance criterion of a goal (`A1`, `A2`, …)."""

    id: str
    text: str


class Boundary(Value):
    """Where the goal's work may happen; empty means unrestricted (W8.4)."""

    repositories: tuple[str, ...] = ()
    write_scopes: tuple[str, ...] = ()


class QuotaPolicy(Value):
    """The budget of a window; None means unlimited. `cost` is in the owner's currency."""

    slots: int | None = None
    tokens: int | None = None
    cost: float | None = None
    window_us: int | None = None


class Agent(Value):
    """An equal peer (W2). A retired one may not act; its claims are stale."""

    agent_id: str
    capabilities: tuple[str, ...] = ()
    retired: bool = False


class Grant(Value):
    """Lifecycle authority over peers' claimed todos (W4.2)."""

    agent_id: str
    actions: tuple[str, ...]
    requires_reason: bool = False


class Pool(Value):
    """A named resource of which `capacity` may be leased at once."""

    name: str
    capacity: int


class Material(Value):
    """A document that agents must have read; the body is never kept (W11.5)."""

    id: str
    path: str
    relation: str | None = None
    purpose: str | None = None
    required_for: tuple[str, ...] = ()


class Goal(Value):
    """One goal of the registry."""

    goal_id: str
    objective: str
    state: GoalState = GoalState.ACTIVE
    acceptance: tuple[Criterion, ...] = ()
    boundary: Boundary = Boundary()
    quota: QuotaPolicy = QuotaPolicy()
    agents: tuple[Agent, ...] = ()
    grants: tuple[Grant, ...] = ()
    pools: tuple[Pool, ...] = ()
    materials: tuple[Material, ...] = ()
    authority_capabilities: tuple[str, ...] = ()

    def agent(self, agent_id: str) -> Agent | None:
        """The registered agent of that id, retired or not."""
        for agent in self.agents:
            if agent.agent_id == agent_id:
                return agent
        return None

    @property
    def active_agents(self) -> tuple[Agent, ...]:
        """Registered agents that may act."""
        return tuple(agent for agent in self.agents if not agent.retired)
