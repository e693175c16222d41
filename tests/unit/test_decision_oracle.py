"""The compiler and a brute-force oracle agree on every world that either of two generators draws."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopx.core.decision.compile import compile_decision
from loopx.core.decision.examine import Examination
from loopx.core.decision.reason import Mode
from tests.unit.decision_random import random_world
from tests.unit.decision_world import World, snapshot_of
from tests.unit.oracle import opinion

WORLDS = 16_000  # each is some five todos, so most pairs of rules meet
SEEDS = range(8)
WORKS_ON_ONE = (Mode.BOUNDED_DELIVERY, Mode.MONITOR_POLL)


def assert_agreement(world: World) -> None:
    """The same mode, the same todo, and the same obstacles of every todo in the same order."""
    snapshot, expected = snapshot_of(world), opinion(world)
    examination = Examination(snapshot, world.caller, world.now)
    verdict, survey = examination.verdict(), examination.survey
    obstacles = {
        member.todo_id: [drop.reason_code.value for drop in examination.finding_of(found, member).drops]
        for found in survey.findings
        for member in found.cohort.members
    }
    assert obstacles == {todo_id: expected.complaints[todo_id] for todo_id in obstacles}
    chosen = verdict.subject.head.todo_id if verdict.subject and verdict.mode in WORKS_ON_ONE else None
    assert (verdict.mode.value, chosen) == (expected.mode, expected.selected)
    assert sum(found.cohort.count for found in survey.works) == expected.runnable


@pytest.mark.parametrize("seed", SEEDS)
def test_the_compiler_and_the_oracle_agree_on_drawn_worlds(seed: int) -> None:
    chance = Random(seed)
    for _ in range(WORLDS // len(SEEDS)):
        assert_agreement(random_world(chance.choice))


@settings(max_examples=300)
@given(st.data())
def test_the_compiler_and_the_oracle_agree_on_worlds_that_shrink(data: st.DataObject) -> None:
    world = random_world(lambda options: data.draw(st.sampled_from(options)))
    assert_agreement(world)
    decision = compile_decision(snapshot_of(world), world.caller, world.now)
    assert decision.mode.value == opinion(world).mode


def test_the_worlds_reach_every_mode() -> None:
    """Otherwise agreement says nothing about the mode that never comes up."""
    chance = Random(0)
    modes = Counter(opinion(random_world(chance.choice)).mode for _ in range(4_000))
    assert set(modes) == {mode.value for mode in Mode}, modes
