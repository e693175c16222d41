"""What was spent: by goal, by agent, by day; and what of it the window still holds."""

from __future__ import annotations

from typing import Any

import pytest

from loopx.core.instant import DAY, HOUR
from tests.support.cli import Loopx
from tests.support.fakes import FakeClock
from tests.support.lab import add, start_lab

NOTHING = {"slots": 0, "tokens": 0, "cost": 0.0, "seconds": 0.0}


@pytest.fixture
def lab(inside: Loopx) -> Loopx:
    return start_lab(inside)


def spend(lab: Loopx, agent: str, tokens: int, goal: str = "lab") -> None:
    todo = lab.ok("todo", "add", "--goal-id", goal, "--text", "work")["todo"]["todo_id"]
    who = ("--goal-id", goal, "--agent-id", agent)
    told = ("--run-kind", "work", "--evidence", "seen", "--validation", "make test")
    run = lab.ok("refresh-state", todo, *who, *told)["run"]["run_id"]
    amounts = ("--tokens", str(tokens), "--cost", "0.5", "--seconds", "2")
    lab.ok("quota", "spend-slot", *who, "--run-id", run, *amounts)


def status(lab: Loopx) -> dict[str, Any]:
    (quota,) = lab.ok("quota", "status", "--goal-id", "lab")["quota"]
    assert isinstance(quota, dict)
    return quota


def test_a_goal_without_a_budget_has_no_limit_and_no_reset(lab: Loopx) -> None:
    assert status(lab) == {
        "goal_id": "lab",
        "slots": None,
        "tokens": None,
        "cost": None,
        "window": None,
        "used": NOTHING,
        "resets_at": None,
        "by_agent": [],
        "by_day": [],
    }


def test_spends_are_rolled_up_by_goal_agent_and_day(lab: Loopx, clock: FakeClock) -> None:
    spend(lab, "bob", 1)
    spend(lab, "ann", 10)
    clock.advance(DAY - 1)
    spend(lab, "ann", 100)
    clock.advance(1)
    spend(lab, "bob", 1000)
    quota = status(lab)
    assert quota["used"] == {"slots": 4, "tokens": 1111, "cost": 2.0, "seconds": 8.0}
    assert [(row["agent_id"], row["slots"], row["tokens"]) for row in quota["by_agent"]] == [
        ("ann", 2, 110),
        ("bob", 2, 1001),
    ]
    assert [(row["day"], row["slots"], row["tokens"]) for row in quota["by_day"]] == [
        ("2026-01-01", 3, 111),
        ("2026-01-02", 1, 1000),
    ]


def test_the_window_bounds_what_is_used_and_by_whom_and_not_the_days(lab: Loopx, clock: FakeClock) -> None:
    lab.ok("goal", "update", "--slots", "3", "--window", "2h")
    spend(lab, "ann", 1)
    clock.advance(HOUR)
    spend(lab, "bob", 10)
    assert status(lab)["resets_at"] == "2026-01-01T02:00:00Z"
    clock.advance(HOUR)
    quota = status(lab)
    assert (quota["window"], quota["used"]["tokens"], quota["resets_at"]) == ("2h", 10, "2026-01-01T03:00:00Z")
    assert [row["agent_id"] for row in quota["by_agent"]] == ["bob"]
    assert [row["tokens"] for row in quota["by_day"]] == [11]


def test_only_whole_days_are_shown(lab: Loopx, clock: FakeClock) -> None:
    for _ in range(3):
        spend(lab, "ann", 1)
        clock.advance(8 * HOUR)
    clock.advance(12 * DAY + 12 * HOUR)  # noon of the fourteenth day
    assert [(row["day"], row["tokens"]) for row in status(lab)["by_day"]] == [("2026-01-01", 3)]
    clock.advance(12 * HOUR)
    assert status(lab)["by_day"] == []


def test_goals_are_listed_a_page_at_a_time(lab: Loopx) -> None:
    lab.ok("goal", "add", "--goal-id", "other", "--objective", "Else", "--agent", "cy")
    spend(lab, "cy", 7, goal="other")
    first = lab.ok("quota", "status", "--limit", "1")
    assert [row["goal_id"] for row in first["quota"]] == ["lab"]
    assert (first["total"], first["truncated"], first["quota"][0]["used"]) == (2, True, NOTHING)
    (other,) = lab.ok("quota", "status", "--cursor", first["next_cursor"])["quota"]
    assert (other["goal_id"], other["used"]["tokens"]) == ("other", 7)
    lab.refused("quota", "status", "--goal-id", "others", code="goal_not_found", exit_code=7)


def test_asking_writes_nothing(lab: Loopx) -> None:
    add(lab, "work")
    before = lab.ok("log")["total"]
    status(lab)
    assert lab.ok("log")["total"] == before
