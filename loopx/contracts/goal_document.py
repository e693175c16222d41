"""A goal, its agents and its grants on the wire."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.core.instant import format_duration

if TYPE_CHECKING:
    from collections.abc import Collection

    from loopx.core.closure import ClosureGap
    from loopx.core.goal import Agent, Goal, Grant

Document = dict[str, Any]

SUBJECTS_SHOWN = 20


def goal_document(goal: Goal, *, met: Collection[str] = ()) -> Document:
    """The goal as the registry says it, and which of its criteria are met."""
    window = goal.quota.window_us
    return {
        "goal_id": goal.goal_id,
        "objective": goal.objective,
        "state": goal.state.value,
        "acceptance": [{"id": c.id, "text": c.text, "met": c.id in met} for c in goal.acceptance],
        "boundary": {
            "repositories": list(goal.boundary.repositories),
            "write_scopes": list(goal.boundary.write_scopes),
        },
        "quota": {
            "slots": goal.quota.slots,
            "tokens": goal.quota.tokens,
            "cost": goal.quota.cost,
            "window": format_duration(window) if window is not None else None,
        },
        "agents": [agent_document(agent) for agent in goal.agents],
        "todo_lifecycle_authority": [grant_document(grant) for grant in goal.grants],
        "pools": [{"name": pool.name, "capacity": pool.capacity} for pool in goal.pools],
    }


def agent_document(agent: Agent) -> Document:
    """One peer."""
    return {"agent_id": agent.agent_id, "capabilities": list(agent.capabilities), "retired": agent.retired}


def grant_document(grant: Grant) -> Document:
    """One grant."""
    return {
        "agent_id": grant.agent_id,
        "actions": list(grant.actions),
        "requires_reason": grant.requires_reason,
    }


def gap_document(gap: ClosureGap) -> Document:
    """One kind of thing that keeps a goal open; the first subjects stand for all."""
    return {"code": gap.code.value, "count": gap.number, "subjects": list(gap.subjects[:SUBJECTS_SHOWN])}
