"""Two winners, two owners: whatever the number of processes and the door, one of them gets the work (W3.3, W5.3)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.support.crew import OK, SIZES, Crew
from tests.support.project import make_team, seeded

if TYPE_CHECKING:
    from pathlib import Path

TEAM = tuple(f"w{number}" for number in range(max(SIZES)))


@pytest.mark.parametrize("size", SIZES)
def test_of_many_claimers_exactly_one_wins_and_every_other_learns_who(tmp_path: Path, crew: Crew, size: int) -> None:
    make_team(tmp_path, TEAM)
    for todo in seeded(tmp_path, 3):
        deeds = [("claim", {"todo": todo, "agent": agent}) for agent in TEAM[:size]]
        answers = crew.together(tmp_path, deeds)
        assert Counter(code for code, _ in answers) == Counter({OK: 1, "already_claimed": size - 1})
        (winner,) = [document["todo"]["claimed_by"] for code, document in answers if code == OK]
        assert {detail["holder"] for code, detail in answers if code != OK} == {winner}


@pytest.mark.parametrize("size", SIZES)
def test_one_winner_through_mixed_doors_and_never_an_owner_beside_a_holder(
    tmp_path: Path, crew: Crew, size: int
) -> None:
    make_team(tmp_path, TEAM)
    for todo in seeded(tmp_path, 3):
        doors = [("claim", "acquire")[place % 2] for place in range(size)]
        deeds = [(door, {"todo": todo, "agent": agent}) for door, agent in zip(doors, TEAM, strict=False)]
        codes = Counter(code for code, _ in crew.together(tmp_path, deeds))
        assert codes[OK] == 1, codes
        assert set(codes) <= {OK, "already_claimed", "lease_conflict"}, codes


def test_of_many_acquirers_exactly_one_gets_the_lease(tmp_path: Path, crew: Crew) -> None:
    make_team(tmp_path, TEAM)
    (todo,) = seeded(tmp_path, 1)
    answers = crew.together(tmp_path, [("acquire", {"todo": todo, "agent": agent}) for agent in TEAM])
    assert Counter(code for code, _ in answers) == Counter({OK: 1, "lease_conflict": len(TEAM) - 1})


def test_of_many_that_complete_the_same_todo_exactly_one_does(tmp_path: Path, crew: Crew) -> None:
    make_team(tmp_path, TEAM)
    (todo,) = seeded(tmp_path, 1)
    answers = crew.together(tmp_path, [("complete", {"todo": todo, "agent": agent}) for agent in TEAM])
    assert Counter(code for code, _ in answers) == Counter({OK: 1, "already_done": len(TEAM) - 1})


def test_many_processes_that_write_at_once_lose_nothing(tmp_path: Path, crew: Crew) -> None:
    """Lost update: ids and sequences never collide, not even in the first write, which makes the database."""
    make_team(tmp_path, TEAM)
    texts = [f"todo of {agent}" for agent in TEAM]
    answers = crew.together(tmp_path, [("add", {"text": text}) for text in texts])
    assert [code for code, _ in answers] == [OK] * len(TEAM)
    todos = [document["todo"] for _, document in answers]
    assert sorted(todo["text"] for todo in todos) == sorted(texts)
    assert len({todo["todo_id"] for todo in todos}) == len(TEAM)
    assert sorted(todo["sequence"] for todo in todos) == list(range(1, len(TEAM) + 1))
