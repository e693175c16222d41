"""`todo stats`: figures that add up, on every state, without visiting all todos."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import pytest

from loopx.core.instant import DAY, HOUR
from loopx.store.connect import open_reader
from tests.support.cli import Loopx
from tests.support.fakes import FakeClock
from tests.support.lab import add, add_gate, add_monitor, claim_next, finish, lease, start_lab
from tests.support.project import make_state

SCOPE = "direction:action:api"


@pytest.fixture
def lab(inside: Loopx) -> Loopx:
    return start_lab(inside)


def stats(lab: Loopx, *more: str) -> dict[str, Any]:
    return lab.ok("todo", "stats", *more)


def waiting(lab: Loopx) -> dict[str, int]:
    return {row["reason_code"]: row["todos"] for row in stats(lab)["waiting"]}


# --- how it stands ---------------------------------------------------------------------------


def test_every_todo_counts_once_in_each_of_the_four_ways(lab: Loopx) -> None:
    first = add(lab, "[P0] Work")
    add(lab, "Waits", "--blocked-by", first)
    add(lab, "Held", "--status", "blocked", "--reason", "no access")
    add(lab, "Asleep", "--status", "deferred", "--resume-when", "in:1h")
    add(lab, "Please look", "--role", "user")
    finish(lab, add(lab, "Done"))
    failed, old = add(lab, "Failed"), add(lab, "Old way")
    lab.ok("todo", "complete", failed, "--claimed-by", "ann", "--evidence", "broke", "--outcome", "failed")
    lab.ok("todo", "supersede", old, "--reason", "another way", "--no-replacement", "--agent-id", "ann")
    counts = stats(lab)["counts"]
    assert counts["by_status"] == {"open": 3, "blocked": 1, "deferred": 1, "done": 1, "failed": 1, "superseded": 1}
    assert counts["by_class"]["advancement_task"] == {"unfinished": 4, "closed": 3}
    assert counts["by_class"]["user_action"] == {"unfinished": 1, "closed": 0}
    assert counts["by_priority"]["P0"] == {"unfinished": 1, "closed": 0}
    assert counts["by_role"] == {"agent": {"unfinished": 4, "closed": 3}, "user": {"unfinished": 1, "closed": 0}}
    for name in ("by_class", "by_priority", "by_role"):
        assert sum(row["unfinished"] + row["closed"] for row in counts[name].values()) == 8


def test_what_is_held_is_neither_free_nor_waiting(lab: Loopx, clock: FakeClock) -> None:
    lab.ok("todo", "claim", add(lab, "Mine"), "--claimed-by", "ann", "--ttl", "1h")
    lease(lab, add(lab, "Leased"), "bob", "--ttl", "2h")
    add(lab, "Free")
    document = stats(lab)
    assert document["now"] == {"open": 3, "ready": 3, "free": 1, "held": 2, "blocked": 0, "deferred": 0}
    assert document["waiting"] == []
    clock.advance(HOUR)
    assert stats(lab)["now"]["free"] == 2, "any peer may take a stale claim"


def test_each_todo_waits_for_its_first_obstacle(lab: Loopx) -> None:
    first = add(lab, "Work")
    add(lab, "Waits", "--blocked-by", first)
    add(lab, "Waits too", "--blocked-by", first, "--required-decision-scope", SCOPE)
    add(lab, "Asks", "--required-decision-scope", SCOPE)
    add(lab, "Held", "--status", "blocked", "--reason", "no access")
    add(lab, "Asleep", "--status", "deferred", "--resume-when", "in:1h")
    add_monitor(lab)
    add(lab, "Please look", "--role", "user")
    assert waiting(lab) == {
        "dependency_open": 2,
        "decision_scope_without_gate": 1,
        "blocked": 1,
        "deferred": 1,
        "monitor_not_due": 1,
        "for_a_person": 1,
    }
    assert stats(lab)["now"]["free"] == 1


def test_a_gate_on_everything_holds_what_nothing_else_holds(lab: Loopx) -> None:
    first = add(lab, "Work")
    add(lab, "Waits", "--blocked-by", first)
    gate = add_gate(lab, None, "--global-gate")
    assert waiting(lab) == {"global_gate_open": 1, "dependency_open": 1, "for_a_person": 1}
    lab.ok("gate", "answer", gate, "--decision", "approve")
    assert waiting(lab) == {"dependency_open": 1}


def test_what_only_an_agent_can_know_is_no_cause(lab: Loopx) -> None:
    add(lab, "Look", "--required-capability", "browser")
    assert waiting(lab) == {}
    assert stats(lab)["now"]["free"] == 1


def test_a_used_budget_is_a_cause(lab: Loopx) -> None:
    add(lab, "Work")
    lab.ok("goal", "update", "--slots", "0", "--window", "1d")
    assert waiting(lab) == {"slots_used": 1}


def test_the_oldest_open_work_comes_first_with_its_age(lab: Loopx, clock: FakeClock) -> None:
    ids = [add(lab, f"[P3] Number {number}") for number in range(7)]
    finish(lab, ids[0])
    clock.advance(HOUR)
    oldest = stats(lab)["oldest_open"]
    assert [row["todo_id"] for row in oldest] == ids[1:6]
    assert {row["age_seconds"] for row in oldest} == {3600}


# --- how it flows ----------------------------------------------------------------------------


def test_the_last_fourteen_days_are_told_with_their_empty_ones(lab: Loopx, clock: FakeClock) -> None:
    first, second = add(lab, "One"), add(lab, "Two")
    finish(lab, first)
    clock.advance(3 * DAY)
    lab.ok("todo", "supersede", second, "--reason", "no", "--no-replacement", "--agent-id", "ann")
    days = stats(lab)["throughput"]
    assert [day["day"] for day in days] == [f"2025-12-{day}" for day in range(22, 32)] + [
        f"2026-01-0{day}" for day in range(1, 5)
    ]
    ended = {day["day"]: (day["completed"], day["failed"], day["superseded"]) for day in days}
    assert ended.pop("2026-01-01") == (1, 0, 0)
    assert ended.pop("2026-01-04") == (0, 0, 1)
    assert set(ended.values()) == {(0, 0, 0)}


def test_cycle_time_runs_from_the_claim_and_from_the_start(lab: Loopx, clock: FakeClock) -> None:
    todo = add(lab, "Work")
    clock.advance(HOUR)
    claim_next(lab)
    token = lab.ok("task-lease", "renew", *_lease_of(lab, todo), "--ttl", "3h")["lease"]["claim_token"]
    clock.advance(2 * HOUR)
    finish(lab, todo, "ann", "--claim-token", token)
    cycle = stats(lab)["cycle_time"]
    assert cycle["claim_to_done"] == {"todos": 1, "median_seconds": 7200.0, "p90_seconds": 7200.0}
    assert cycle["add_to_done"] == {"todos": 1, "median_seconds": 10800.0, "p90_seconds": 10800.0}


def _lease_of(lab: Loopx, todo: str) -> tuple[str, ...]:
    lease = lab.ok("todo", "show", todo)["todo"]["lease"]
    return "--lease-id", lease["lease_id"], "--agent-id", "ann", "--expect-version", str(lease["version"])


def test_work_that_nobody_was_seen_to_begin_has_no_time_from_the_claim(lab: Loopx, clock: FakeClock) -> None:
    todo = add(lab, "Work")
    clock.advance(HOUR)
    finish(lab, todo)
    cycle = stats(lab)["cycle_time"]
    assert (cycle["claim_to_done"]["todos"], cycle["claim_to_done"]["median_seconds"]) == (0, None)
    assert cycle["add_to_done"]["todos"] == 1


def test_since_narrows_what_flows_and_not_what_stands(lab: Loopx, clock: FakeClock) -> None:
    finish(lab, add(lab, "Early"))
    clock.advance(2 * DAY)
    finish(lab, add(lab, "Late"))
    document = stats(lab, "--since", "2026-01-02T00:00:00Z")
    assert [day["completed"] for day in document["throughput"]] == [0, 1]
    assert document["cycle_time"]["add_to_done"]["todos"] == 1
    assert document["counts"]["by_status"]["done"] == 2


@pytest.mark.parametrize("since", ["in:1h", "2024-01-01T00:00:00Z", "yesterday", ""])
def test_a_time_that_is_to_come_or_long_ago_is_refused(lab: Loopx, since: str) -> None:
    lab.refused("todo", "stats", "--since", since, code="usage", exit_code=2)


# --- what it costs ---------------------------------------------------------------------------


def test_spend_is_told_by_agent_and_day(lab: Loopx, clock: FakeClock) -> None:
    todo = add(lab, "Work")
    for agent, tokens in (("bob", 100), ("ann", 10), ("ann", 20)):
        evidence = ("--evidence", "seen", "--validation", "make test")
        run = lab.ok("refresh-state", "--agent-id", agent, "--todo-id", todo, "--run-kind", "work", *evidence)["run"]
        spend = ("--agent-id", agent, "--run-id", run["run_id"], "--tokens", str(tokens))
        lab.ok("quota", "spend-slot", *spend)
        clock.advance(DAY)
    ann, bob = stats(lab)["spend"]
    assert (ann["agent_id"], ann["slots"], ann["tokens"]) == ("ann", 2, 30)
    assert [(day["day"], day["tokens"]) for day in ann["days"]] == [("2026-01-02", 10), ("2026-01-03", 20)]
    assert (bob["agent_id"], bob["tokens"]) == ("bob", 100)
    assert stats(lab, "--since", "2026-01-02T00:00:00Z")["spend_total"] == 1


# --- every state, any size -------------------------------------------------------------------


def test_a_project_without_a_database_has_figures_too(inside: Loopx) -> None:
    folder = make_state(inside.root)
    document = stats(inside)
    assert set(document["now"].values()) == {0}
    assert len(document["throughput"]) == 14
    assert not (folder / "loopx.db").exists()


def test_with_several_goals_one_must_be_named(lab: Loopx) -> None:
    lab.ok("goal", "add", "--goal-id", "other", "--objective", "More")
    add(lab, "Work")
    lab.refused("todo", "stats", code="usage")
    assert stats(lab, "--goal-id", "other")["now"]["open"] == 0
    lab.refused("todo", "stats", "--goal-id", "labb", code="goal_not_found")


def test_no_statement_visits_a_table_that_grows(lab: Loopx, monkeypatch: pytest.MonkeyPatch) -> None:
    add(lab, "Work")
    statements: list[str] = []

    def traced(path: str) -> sqlite3.Connection:
        db = open_reader(path)
        db.set_trace_callback(statements.append)
        return db

    monkeypatch.setattr("loopx.store.database.open_reader", traced)
    stats(lab)
    asked = [statement for statement in statements if statement.startswith("SELECT")]
    with closing(sqlite3.connect(lab.root / ".loopx" / "loopx.db")) as db:
        plans = {text: [row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {text}")] for text in asked}
    flat = [plan for rows in plans.values() for plan in rows]
    scans = [plan for plan in flat if plan.startswith("SCAN") and plan.split()[1] in ("t", "todos", "spends")]
    assert {plan.split()[-1] for plan in scans} <= {"todos_leased"}, "what is leased is few, whatever the goal"
    (counted,) = (rows for text, rows in plans.items() if "GROUP BY status" in text)
    for name in ("closed", "free", "waiting", "blocked", "sleeping"):
        assert [row for row in counted if f"INDEX todos_{name} " in row], "each part is counted by its own index"


def test_the_text_draws_a_bar_a_day(lab: Loopx, loopx: Loopx) -> None:
    add(lab, "Work")
    answer = loopx.text("todo", "stats")
    assert answer.code == 0
    assert "What work waits for" not in answer.out
    (row,) = (line for line in answer.out.split("\n") if line.startswith("failed"))
    assert row.split()[-1] == "▁" * 14
