"""Goals of an export: those that are missing here are added whole, and the others stay as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.contracts.export_goal import export_goal
from loopx.core.foreign.record import Note

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from loopx.core.goal import Goal
    from loopx.registry.document import RegistryDocument


def add_missing_goals(document: RegistryDocument, goals: Sequence[Goal]) -> None:
    """Write each goal into the registry, with agents, grants, pools, materials and criteria."""
    for goal in goals:
        document.add_goal(goal.goal_id, goal.objective)
        for criterion in sorted(goal.acceptance, key=lambda one: (len(one.id), one.id)):
            document.add_criterion(goal.goal_id, criterion)
        document.set_boundary(goal.goal_id, goal.boundary)
        document.set_quota(goal.goal_id, goal.quota)
        _add_agents(document, goal)
        for pool in goal.pools:
            document.set_pool(goal.goal_id, pool.name, pool.capacity)
        for material in goal.materials:
            document.add_material(goal.goal_id, material)
        document.set_goal_state(goal.goal_id, goal.state)


def differing_goals(goals: Sequence[Goal], here: Sequence[Goal]) -> Iterator[Note]:
    """What the export says otherwise of a goal that is here; a person decides on that."""
    known = {goal.goal_id: goal for goal in here}
    for goal in goals:
        if goal.goal_id not in known:
            continue
        mine = {(record["kind"], record["id"]): record for record in export_goal(known[goal.goal_id])}
        for record in export_goal(goal):
            if mine.get((record["kind"], record["id"])) != record:
                name = record["id"].partition(" ")[2] or goal.goal_id
                yield Note(
                    "goal_differs",
                    f"{record['kind']} {name} of {goal.goal_id} says something else here, or is not here; it stays so",
                )


def _add_agents(document: RegistryDocument, goal: Goal) -> None:
    for agent in goal.agents:
        document.register_agent(goal.goal_id, agent.agent_id, agent.capabilities)
    for grant in goal.grants:
        document.grant_authority(goal.goal_id, grant.agent_id, grant.actions, requires_reason=grant.requires_reason)
    for agent in goal.agents:
        if agent.retired:
            document.retire_agent(goal.goal_id, agent.agent_id)
