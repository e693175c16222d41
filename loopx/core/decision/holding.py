"""Stage 11: whose is it at the moment (W3, W5)?

Who continues what a peer has done needs no rule of its own here: a successor that the same agent
keeps is born with its claim (W10.2), and a claim that is stale binds nobody.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.decision.case import Case, Drop, is_held_by_peer
from loopx.core.decision.reason import ReasonCode, Stage
from loopx.core.decision.snapshot import Cohort, Holding
from loopx.core.instant import format_instant

if TYPE_CHECKING:
    from loopx.core.instant import Instant


def unheld(case: Case, cohort: Cohort) -> Drop | None:
    """Unclaimed, the caller's own, or stale; under no live lease of another."""
    if not is_held_by_peer(case, cohort):
        return None
    is_leased = cohort.holding is Holding.LEASED
    code = ReasonCode.LEASED_BY_PEER if is_leased else ReasonCode.CLAIMED_BY_PEER
    return Drop(Stage.HOLDING, code, {"holder": cohort.holder, **_until(cohort.free_at)})


def _until(free_at: Instant | None) -> dict[str, object]:
    return {} if free_at is None else {"free_at": format_instant(free_at)}
