"""The order of the decision, as data: these three lists are the precedence.

A asks whether anything may be decided, B narrows the candidates, C says what that means.
Every stage of B looks at every cohort, so that the first obstacle and a sole one are both known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.decision.admission import gate_scope, goal_state, identity, integrity, lane_gate
from loopx.core.decision.gating import decision_scopes
from loopx.core.decision.holding import unheld
from loopx.core.decision.meaning import (
    asleep,
    delivery,
    due_poll,
    finished,
    first_obstacle,
    held_by_peers,
    missing_capability,
    open_gate,
    repair,
    unchanged_monitor,
    urgent_poll,
    used_budget,
    wrong_place,
)
from loopx.core.decision.means import budget, capability, workspace
from loopx.core.decision.readiness import dependencies, lifecycle
from loopx.core.decision.reason import Stage
from loopx.core.decision.visibility import peer_visible

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopx.core.decision.case import Case, Drop
    from loopx.core.decision.meaning import Verdict
    from loopx.core.decision.snapshot import Cohort
    from loopx.core.decision.survey import Survey

    Admission = Callable[[Case], Drop | None]
    Narrowing = Callable[[Case, Cohort], Drop | None]
    Meaning = Callable[[Survey], Verdict | None]

# A. May anything be decided? The first two raise; the last one leaves due monitors their poll.
ADMISSION: tuple[tuple[Stage, Admission], ...] = (
    (Stage.IDENTITY, identity),
    (Stage.INTEGRITY, integrity),
    (Stage.GOAL_STATE, goal_state),
    (Stage.GATE_SCOPE, gate_scope),
    (Stage.LANE_GATE, lane_gate),
)

# B. Which candidates remain? (W7.3)
NARROWING: tuple[tuple[Stage, Narrowing], ...] = (
    (Stage.LIFECYCLE, lifecycle),
    (Stage.DEPENDENCIES, dependencies),
    (Stage.PEER_VISIBLE, peer_visible),
    (Stage.DECISION_SCOPES, decision_scopes),
    (Stage.CAPABILITY, capability),
    (Stage.HOLDING, unheld),
    (Stage.WORKSPACE, workspace),
    (Stage.BUDGET, budget),
)

# C. What does that mean? The first row that applies; the last one always does.
MEANING: tuple[Meaning, ...] = (
    urgent_poll,
    delivery,
    due_poll,
    wrong_place,
    missing_capability,
    used_budget,
    repair,
    unchanged_monitor,
    open_gate,
    held_by_peers,
    asleep,
    finished,
    first_obstacle,
)

ORDER: tuple[Stage, ...] = tuple(stage for stage, _ in ADMISSION) + tuple(stage for stage, _ in NARROWING)
