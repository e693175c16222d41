"""The plan gate at every door to a lease: who waits for an answer about a plan starts nothing (S4.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.command import command
from loopx.core.errors import PlanNotApprovedError
from loopx.store.plans import closed_gate

if TYPE_CHECKING:
    from loopx.app.mutation import Work


def refuse_unapproved_plan(work: Work, agent_id: str) -> None:
    """PlanNotApprovedError where the agent's newest plan on the goal is pending or rejected."""
    gate = closed_gate(work.tx.db, work.goal.goal_id, agent_id)
    if gate is None:
        return
    plan_id, status, reviewer = gate
    show = command("plan", "show", plan_id)
    raise PlanNotApprovedError(
        f"the newest plan of {agent_id} ({plan_id}) is {status}, so {agent_id} may start nothing",
        hint=f"It is for {reviewer} to answer; `{show}` has it. Another plan takes its place.",
        plan_id=plan_id,
        status=status,
        reviewer=reviewer,
    )
