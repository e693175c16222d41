"""claim-next reads less than a decision does, and must find the very same todo first (S2.1)."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from loopx.app.claim_next import _unleased
from loopx.app.expiry import settle_leases
from loopx.core.decision.examine import Examination
from loopx.core.decision.snapshot import Caller, Snapshot
from loopx.store.snapshot import load_snapshot, load_takeable
from tests.integration.test_store_model import CLASSES, STEP_KINDS, World
from tests.support.project import AGENTS, GOAL

if TYPE_CHECKING:
    from pathlib import Path

GATELESS = [place for place, name in enumerate(CLASSES) if name != "user_gate"]  # a gate makes it read everything


def first(snapshot: Snapshot, agent: str, now: int) -> str | None:
    examination = Examination(snapshot, Caller(agent), now)
    return next((todo.todo_id for todo in _unleased(examination, now)), None)


def compare(world: World) -> int:
    """How many agents could take something; both readings must name the same todo for each."""
    with world.project.store.write(dry_run=True) as tx:
        settle_leases(tx)
        goal = world.project.registry(tx.db).goal(GOAL)
        whole = load_snapshot(tx.db, goal, now=tx.now, state="")
        part = load_takeable(tx.db, goal, now=tx.now)
        found = [first(whole, agent, tx.now) for agent in AGENTS]
        assert [first(part, agent, tx.now) for agent in AGENTS] == found
        return sum(1 for todo_id in found if todo_id)


@pytest.mark.parametrize("seed", range(4))
def test_the_short_reading_and_the_whole_one_offer_the_same_todo(tmp_path: Path, seed: int) -> None:
    draw, world, offers = random.Random(seed), World(tmp_path), 0
    names = [name for name, (_, weight) in STEP_KINDS.items() for _ in range(weight)]
    for _ in range(300):
        name = draw.choice(names)
        numbers = [draw.randrange(256) for _ in range(STEP_KINDS[name][0])]
        if name == "add":
            numbers[0] = draw.choice(GATELESS)
        getattr(world, name)(*numbers)
        offers += compare(world)
    assert offers > 100
    world.finish()
