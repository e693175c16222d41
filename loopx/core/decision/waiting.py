"""What unfinished work waits for, as far as that does not depend on who asks.

The decision's own stages judge, for nobody in particular: what an agent can do and where it stands is
left out. A todo counts once, under its first obstacle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.decision.admission import lane_gate
from loopx.core.decision.gating import decision_scopes
from loopx.core.decision.holding import unheld
from loopx.core.decision.means import budget
from loopx.core.decision.readiness import dependencies, lifecycle
from loopx.core.decision.reason import ReasonCode, Stage
from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopx.core.decision.case import Case, Drop
    from loopx.core.decision.snapshot import Cohort

# The order of the decision, save that a gate on everything hides no nearer obstacle.
_STAGES: tuple[Callable[[Case, Cohort], Drop | None], ...] = (
    lifecycle,
    dependencies,
    lambda case, _: lane_gate(case),
    decision_scopes,
    unheld,
    budget,
)


class Waiting(Value):
    """Agent todos that are not closed, each counted once."""

    free: int  # an agent that can do it may take it
    underway: int  # a live claim or lease is on it
    causes: dict[ReasonCode, int]


def waiting_of(case: Case) -> Waiting:
    """How many agent todos are free, under way, and wait for what."""
    free, underway = 0, 0
    causes: dict[ReasonCode, int] = {}
    for cohort in case.snapshot.cohorts:
        drop = first_obstacle(case, cohort)
        if drop is None:
            free += cohort.count
        elif drop.stage is Stage.HOLDING:
            underway += cohort.count
        else:
            causes[drop.reason_code] = causes.get(drop.reason_code, 0) + cohort.count
    return Waiting(free, underway, causes)


def first_obstacle(case: Case, cohort: Cohort) -> Drop | None:
    """What the cohort waits for first, or None where an agent that can do it may take it."""
    drops = (stage(case, cohort) for stage in _STAGES)
    return next((drop for drop in drops if drop is not None), None)
