"""What work waits for: each agent todo counts once, and waiting agrees with the decision."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from loopx.core.decision.case import case_of
from loopx.core.decision.examine import Examination
from loopx.core.decision.reason import Stage
from loopx.core.decision.snapshot import Caller
from loopx.core.decision.waiting import waiting_of
from tests.unit.decision_random import random_world
from tests.unit.decision_world import NOW, World, snapshot_of

NOBODY = Caller("")
OF_THE_ASKER = (Stage.PEER_VISIBLE, Stage.CAPABILITY, Stage.WORKSPACE)


@st.composite
def worlds(draw: st.DrawFn) -> World:
    def choose(options: Any) -> Any:
        return draw(st.sampled_from(list(options)))

    return random_world(choose)


@given(worlds())
def test_every_agent_todo_is_free_under_way_or_waits_for_one_thing(world: World) -> None:
    snapshot = snapshot_of(world)
    found = waiting_of(case_of(snapshot, NOBODY, NOW))
    total = sum(cohort.count for cohort in snapshot.cohorts)
    assert found.free + found.underway + sum(found.causes.values()) == total
    assert all(number > 0 for number in found.causes.values())


@given(worlds())
def test_what_an_agent_may_run_never_waits_for_anybody(world: World) -> None:
    """Only a claim of its own, and a gate that names others, can make it more than what is free for all."""
    snapshot = snapshot_of(world)
    asked = Examination(snapshot, world.caller, NOW, OF_THE_ASKER)
    own = sum(found.cohort.count for found in asked.survey.works if found.is_mine)
    free = sum(found.cohort.count for found in (*asked.survey.works, *asked.survey.polls) if not found.is_mine)
    found = waiting_of(case_of(snapshot, NOBODY, NOW))
    assert free <= found.free
    assert own <= found.free + found.underway
