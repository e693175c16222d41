"""Stage 8: may this peer see it as its work, and does it lie inside the goal's boundary?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.boundary import outside_boundary
from loopx.core.decision.case import Case, Drop
from loopx.core.decision.reason import ReasonCode, Stage

if TYPE_CHECKING:
    from loopx.core.decision.snapshot import Cohort


def peer_visible(case: Case, cohort: Cohort) -> Drop | None:
    """Not bound to another, not excluded, inside the boundary (W3.4, W4.4, W8.4).

    What nobody may take, and what lies outside, is a repair for everybody and so is said first.
    """
    route = cohort.head.route
    if not any(route.is_open_to(agent_id) for agent_id in case.peers):
        return _drop(ReasonCode.NO_ELIGIBLE_AGENT, bound_agent=route.bound_agent)
    outside = outside_boundary(case.snapshot.goal.boundary, route)
    if outside is not None:
        return _drop(ReasonCode.OUTSIDE_GOAL_BOUNDARY, outside=outside)
    if route.bound_agent not in (None, case.agent_id):
        return _drop(ReasonCode.BOUND_ELSEWHERE, bound_agent=route.bound_agent)
    if case.agent_id in route.excluded_agents:
        return _drop(ReasonCode.AGENT_EXCLUDED, agent_id=case.agent_id)
    return None


def _drop(code: ReasonCode, **facts: object) -> Drop:
    return Drop(Stage.PEER_VISIBLE, code, {name: fact for name, fact in facts.items() if fact is not None})
