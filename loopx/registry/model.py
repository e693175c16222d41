"""What a registry file says, as values."""

from __future__ import annotations

from loopx.core.goal import Goal
from loopx.core.value import Value


class LegacyModel(Value):
    """A goal that still names the hierarchy of old; it runs as `peer_v1` all the same (W2.1)."""

    goal_id: str
    line: int


class Registry(Value):
    """The goals in file order, and which of them still wait for the migration of their agent model."""

    version: int
    goals: tuple[Goal, ...]
    legacy_models: tuple[LegacyModel, ...] = ()

    def find(self, goal_id: str) -> Goal | None:
        """The goal of that id, or None."""
        for goal in self.goals:
            if goal.goal_id == goal_id:
                return goal
        return None
