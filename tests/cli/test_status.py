"""`status` and `inbox`: what is going on, at a glance, and flat at any size."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import pytest

from loopx.core.instant import HOUR
from loopx.store.connect import open_reader
from tests.support.cli import Loopx
from tests.support.fakes import FakeClock


@pytest.fixture
def lab(inside: Loopx) -> Loopx:
    inside.ok(
        "init", "--goal-id", "lab", "--objective", "Find out", "--acceptance", "It is known",
        "--agent", "ann", "--agent", "bob",
    )  # fmt: skip
    return inside


def add(lab: Loopx, text: str, *more: str) -> str:
    return str(lab.ok("todo", "add", "--text", text, *more)["todo"]["todo_id"])


def goal(lab: Loopx) -> dict[str, Any]:
    (only,) = lab.ok("status")["goals"]
    assert isinstance(only, dict)
    return only


def test_counts_are_told_by_status_and_by_class(lab: Loopx) -> None:
    first = add(lab, "Work")
    add(lab, "Waits", "--blocked-by", first)
    add(lab, "Held", "--status", "blocked", "--reason", "no access")
    add(lab, "Asleep", "--status", "deferred", "--resume-when", "in:1h")
    add(lab, "Please look", "--role", "user")
    done = add(lab, "Done")
    lab.ok("todo", "complete", done, "--claimed-by", "ann", "--evidence", "seen", "--no-follow-up")
    seen = goal(lab)
    assert seen["counts"] == {"open": 3, "ready": 2, "blocked": 1, "deferred": 1, "closed": 1}
    assert seen["by_class"] == {
        "advancement_task": {"open": 2, "ready": 1, "blocked": 1, "deferred": 1},
        "user_action": {"open": 1, "ready": 1, "blocked": 0, "deferred": 0},
    }


def test_who_is_on_what_is_told_with_stale_claims_marked(lab: Loopx, clock: FakeClock) -> None:
    mine, stale = add(lab, "[P1] Mine"), add(lab, "[P0] Left behind")
    lab.ok("todo", "claim", mine, "--claimed-by", "ann")
    lab.ok("todo", "claim", stale, "--claimed-by", "bob", "--ttl", "1h")
    assert [row["held"] for row in goal(lab)["work"]] == ["claimed", "claimed"]
    clock.advance(HOUR)
    rows = [(row["todo_id"], row["agent_id"], row["held"]) for row in goal(lab)["work"]]
    assert rows == [(stale, "bob", "stale"), (mine, "ann", "claimed")]


def test_a_live_lease_outranks_the_claim_and_its_end_is_told(lab: Loopx, clock: FakeClock) -> None:
    todo = add(lab, "Work")
    lab.ok("todo", "claim", todo, "--claimed-by", "ann")
    lease = lab.ok("task-lease", "acquire", "--todo-id", todo, "--agent-id", "ann", "--ttl", "15m")["lease"]
    (row,) = goal(lab)["work"]
    assert (row["held"], row["agent_id"], row["until"]) == ("leased", "ann", lease["expires_at"])
    clock.advance(HOUR)
    assert [row["held"] for row in goal(lab)["work"]] == ["claimed"]


def test_open_gates_say_whom_they_hold(lab: Loopx) -> None:
    todo = add(lab, "Work")
    gate = add(
        lab, "Which way?", "--role", "user", "--task-class", "user_gate", "--blocks-agent", "ann",
        "--decision-scope", "direction:action:way", "--unblocks-todo-id", todo,
    )  # fmt: skip
    (row,) = goal(lab)["gates"]
    assert (row["todo_id"], row["blocks_agent"], row["unblocks_todo_id"]) == (gate, "ann", todo)
    lab.ok("gate", "answer", gate, "--decision", "approve")
    assert goal(lab)["gates"] == []


def test_unmet_criteria_and_what_closure_lacks_are_told(lab: Loopx) -> None:
    add(lab, "Work")
    seen = goal(lab)
    assert seen["unmet_criteria"] == [{"id": "A1", "text": "It is known"}]
    assert [gap["code"] for gap in seen["missing"]] == ["work_open", "acceptance_unmet"]
    lab.ok("goal", "accept", "--criterion", "A1", "--evidence", "seen")
    assert goal(lab)["unmet_criteria"] == []


def test_long_lists_are_cut_and_counted(lab: Loopx) -> None:
    for number in range(22):
        add(lab, f"Question {number}", "--role", "user", "--task-class", "user_gate", "--global-gate")
    seen = goal(lab)
    assert (len(seen["gates"]), seen["gates_total"]) == (20, 22)


def test_goals_come_in_pages(lab: Loopx) -> None:
    lab.ok("goal", "add", "--goal-id", "ship", "--objective", "Ship it")
    first = lab.ok("status", "--limit", "1")
    assert (first["total"], first["truncated"]) == (2, True)
    rest = lab.ok("status", "--limit", "1", "--cursor", first["next_cursor"])
    assert [row["goal_id"] for row in rest["goals"]] == ["ship"]
    assert [row["goal_id"] for row in lab.ok("status", "--goal-id", "ship")["goals"]] == ["ship"]


def test_no_statement_of_status_visits_all_todos(lab: Loopx, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every plan goes through an index; what is small by nature (groups, goals, meta) may be scanned."""
    add(lab, "Work")
    statements: list[str] = []

    def traced(path: str) -> sqlite3.Connection:
        db = open_reader(path)
        db.set_trace_callback(statements.append)
        return db

    monkeypatch.setattr("loopx.store.database.open_reader", traced)
    lab.ok("status")
    asked = [statement for statement in statements if statement.startswith("SELECT")]
    with closing(sqlite3.connect(lab.root / ".loopx" / "loopx.db")) as db:
        plans = [row[3] for text in asked for row in db.execute(f"EXPLAIN QUERY PLAN {text}")]
    assert any("todos" in plan for plan in plans)
    scans = [plan for plan in plans if plan.startswith("SCAN") and "INDEX" not in plan]
    assert not [plan for plan in scans if plan.split()[1] in ("t", "e", "d", "todos", "edges", "events")]


def test_the_inbox_holds_what_a_person_can_do_now(lab: Loopx) -> None:
    add(lab, "Agents' work")
    gate = add(lab, "Which way?", "--role", "user", "--task-class", "user_gate", "--global-gate")
    action = add(lab, "Please look", "--role", "user")
    document = lab.ok("inbox")
    assert [todo["todo_id"] for todo in document["todos"]] == [gate, action]
    assert all("decision_scope" in todo for todo in document["todos"]), "questions are shown whole"
    lab.ok("gate", "answer", gate, "--decision", "reject")
    assert [todo["todo_id"] for todo in lab.ok("inbox", "--limit", "1")["todos"]] == [action]
