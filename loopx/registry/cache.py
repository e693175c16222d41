"""A goal as one line of JSON, for the database's cache; imports neither YAML nor schemas."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from loopx.core.goal import (
    Agent,
    Boundary,
    Criterion,
    Goal,
    GoalState,
    Grant,
    Material,
    Pool,
    QuotaPolicy,
)


def encode_goal(goal: Goal) -> str:
    """The goal as nested JSON arrays in the order of its fields."""
    return json.dumps(goal, ensure_ascii=False, separators=(",", ":"))


@lru_cache(maxsize=64)
def decode_goal(text: str) -> Goal:
    """The goal of `encode_goal`."""
    (
        goal_id, objective, state, acceptance, boundary, quota, agents, grants, pools, materials, authority,
    ) = json.loads(text)  # fmt: skip
    return Goal(
        goal_id=goal_id,
        objective=objective,
        state=GoalState(state),
        acceptance=tuple(Criterion(*row) for row in acceptance),
        boundary=Boundary(tuple(boundary[0]), tuple(boundary[1])),
        quota=QuotaPolicy(*quota),
        agents=tuple(_agent(row) for row in agents),
        grants=tuple(Grant(row[0], tuple(row[1]), row[2]) for row in grants),
        pools=tuple(Pool(*row) for row in pools),
        materials=tuple(_material(row) for row in materials),
        authority_capabilities=tuple(authority),
    )


def _agent(row: list[Any]) -> Agent:
    return Agent(row[0], tuple(row[1]), row[2])


def _material(row: list[Any]) -> Material:
    material_id, path, relation, purpose, required_for = row
    return Material(material_id, path, relation, purpose, tuple(required_for))
