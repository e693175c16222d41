"""`loopx todo archive`: closed work is out of the way, and nothing that anybody can ask for is lost."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import pytest

from loopx.core.instant import DAY, HOUR
from loopx.store.replay import table_state
from tests.support.cli import Loopx
from tests.support.fakes import FakeClock
from tests.support.lab import add, add_gate, ask, claim_next, finish, lease, mode, show, start_lab
from tests.support.project import foreign_hand, open_project


@pytest.fixture
def lab(inside: Loopx) -> Loopx:
    return start_lab(inside)


def archive(lab: Loopx, *more: str, **ways: Any) -> dict[str, Any]:
    return lab.ok("todo", "archive", "--older-than", "1d", *more, **ways)


def state(lab: Loopx) -> Any:
    with closing(open_project(lab.root)) as project:
        return project.read(lambda snapshot: table_state(snapshot.db))


def listed(lab: Loopx, *more: str) -> list[str]:
    return [todo["todo_id"] for todo in lab.ok("todo", "list", *more)["todos"]]


def rows(lab: Loopx, table: str) -> int:
    with foreign_hand(lab.root) as db:
        return int(db.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


@pytest.fixture
def old(lab: Loopx, clock: FakeClock) -> tuple[Loopx, str, str]:
    """A done todo with all that can hang on one, its done successor, and open work beside them."""
    one = add(lab, "one", "--acceptance", "it works", "--required-capability", "shell")
    claim = claim_next(lab, "ann", "--available-capability", "shell")["claim"]
    token = ("--claim-token", claim["claim_token"])
    run = ("--todo-id", one, "--run-kind", "status", "--evidence", "e")
    lab.ok("refresh-state", "--agent-id", "ann", *run, *token)
    done = ("--claimed-by", "ann", "--evidence", "seen", *token)
    (two,) = lab.ok("todo", "complete", one, *done, "--next-agent-todo", "two")["successors"]
    add(lab, "open work")
    finish(lab, two)
    clock.advance(2 * DAY)
    return lab, one, two


def test_closed_work_leaves_the_lists_and_is_found_by_its_id(old: tuple[Loopx, str, str]) -> None:
    lab, one, two = old
    before = show(lab, one)
    document = archive(lab)
    assert (document["archived"], document["todo_ids"], document["remaining"]) == (2, [one, two], 0)
    assert listed(lab, "--status", "done") == []
    assert rows(lab, "todos") == 1
    after = show(lab, one.removeprefix("todo_")[:10])
    assert after.pop("archived_at") == "2026-01-03T00:00:00Z"
    assert after == before
    assert lab.ok("log", "--todo-id", one)["total"] > 1


def test_nothing_about_the_state_changes(old: tuple[Loopx, str, str]) -> None:
    lab, *_ = old
    before = state(lab)
    status = lab.ok("status")["goals"]
    packet = ask(lab)
    archive(lab)
    assert state(lab) == before
    assert lab.ok("status")["goals"] == status
    assert ask(lab)["interaction_contract"] == packet["interaction_contract"]
    document = lab.ok("doctor")
    assert (document["healthy"], [one["code"] for one in document["findings"]]) == (True, [])


def test_what_is_archived_has_a_list_of_its_own(old: tuple[Loopx, str, str]) -> None:
    lab, one, two = old
    archive(lab)
    assert listed(lab, "--archived") == [one, two]
    assert listed(lab, "--archived", "--text-match", "TWO") == [two]
    assert listed(lab, "--archived", "--claimed-by", "ann", "--task-class", "advancement_task") == [one, two]
    assert listed(lab, "--archived", "--status", "deferred") == []
    (whole, *_) = lab.ok("todo", "list", "--archived", "--full", "--limit", "1")["todos"]
    assert (whole["successors"], whole["evidence"]) == ([two], "seen")
    lab.refused("todo", "list", "--archived", "--runnable-for", "ann", exit_code=2)


def test_only_what_is_old_enough_goes(lab: Loopx, clock: FakeClock) -> None:
    first = add(lab, "first")
    finish(lab, first)
    clock.advance(DAY - 1)
    second = add(lab, "second")
    finish(lab, second)
    assert archive(lab)["receipt"] is None
    clock.advance(1)
    assert archive(lab)["todo_ids"] == [first]
    clock.advance(DAY - 1)
    assert archive(lab)["todo_ids"] == [second]


def test_what_something_open_looks_at_stays_and_the_answer_says_why(lab: Loopx, clock: FakeClock) -> None:
    awaited, named, unstated = add(lab, "awaited"), add(lab, "named"), add(lab, "unstated")
    waiter = add(lab, "waiter", "--blocked-by", awaited)
    gate = add_gate(lab, "direction:action:x", "--blocks-agent", "bob")
    lab.ok("gate", "answer", gate, "--decision", "approve")
    finish(lab, awaited)
    finish(lab, named)
    add_gate(lab, "direction:action:y", "--blocks-agent", "bob", "--unblocks-todo-id", named)
    lab.ok("todo", "complete", unstated, "--claimed-by", "ann", "--evidence", "e")
    clock.advance(2 * DAY)
    document = archive(lab)
    assert (document["archived"], document["receipt"]) == (0, None)
    assert document["kept"] == {
        "follow_up_unstated": 1,
        "gate_answer": 1,
        "open_gate_names": 1,
        "open_work_waits": 1,
    }
    finish(lab, waiter)
    assert archive(lab)["todo_ids"] == [awaited]


def test_a_failed_dependency_of_closed_work_still_counts_as_failed(lab: Loopx, clock: FakeClock) -> None:
    failed = add(lab, "failed")
    waiter = add(lab, "waiter", "--blocked-by", failed)
    finish(lab, failed, "ann", "--outcome", "failed")
    lab.ok("todo", "supersede", waiter, "--reason", "no use", "--no-replacement")
    clock.advance(2 * DAY)
    archive(lab)
    assert show(lab, waiter)["unmet_dependencies"] == 1
    assert lab.ok("doctor")["findings"] == []


def test_archived_work_is_a_met_dependency_and_a_condition_that_holds(old: tuple[Loopx, str, str]) -> None:
    lab, one, two = old
    archive(lab)
    after = add(lab, "after", "--blocked-by", one)
    asleep = add(lab, "asleep", "--status", "deferred", "--resume-when", f"todo_done:{two}")
    assert show(lab, after)["unmet_dependencies"] == 0
    lab.ok("todo", "claim", asleep, "--claimed-by", "bob")
    assert lab.ok("doctor")["findings"] == []


def test_a_verb_that_changes_it_brings_it_back(old: tuple[Loopx, str, str]) -> None:
    lab, one, two = old
    archive(lab)
    lab.refused("todo", "complete", one, "--claimed-by", "ann", "--evidence", "e", code="already_done")
    before = state(lab)["todos"][one]
    lab.ok("todo", "update", two, "--no-follow-up", "--reason", "still all")
    lab.ok("todo", "update", one, "--successor-todo-id", two, "--reason", "again")
    assert state(lab)["todos"][one]["created_at"] == before["created_at"]
    assert lab.ok("doctor")["findings"] == []


def test_an_undone_completion_brings_it_back_open(lab: Loopx, clock: FakeClock) -> None:
    one = add(lab, "one")
    finish(lab, one, "ann", "--operation-id", "op-1")
    clock.advance(2 * DAY)
    archive(lab)
    lab.ok("undo", "--operation", "op-1", "--reason", "not done at all")
    assert (show(lab, one)["status"], listed(lab)) == ("open", [one])
    assert lab.ok("doctor")["findings"] == []


def test_an_archived_id_never_comes_back(old: tuple[Loopx, str, str]) -> None:
    lab, one, _ = old
    archive(lab)
    with foreign_hand(lab.root) as db, pytest.raises(sqlite3.IntegrityError, match="archived"):
        db.execute(
            "INSERT INTO todos (todo_id, goal_id, route_id, task_class, role, status, priority, text,"
            " continuation_policy, created_at, updated_at) VALUES (?, 'lab', 1, 'advancement_task', 'agent', 'open',"
            " 2, 'again', 'independent_handoff', 1, 1)",
            (one,),
        )


def test_the_order_of_creation_goes_on_after_the_newest_was_archived(lab: Loopx, clock: FakeClock) -> None:
    finish(lab, add(lab, "one"))
    clock.advance(2 * DAY)
    archive(lab)
    assert show(lab, add(lab, "two"))["sequence"] == 2
    assert lab.ok("doctor")["findings"] == []


def test_a_goal_whose_work_is_all_archived_is_no_empty_goal(lab: Loopx, clock: FakeClock) -> None:
    finish(lab, add(lab, "one"))
    clock.advance(2 * DAY)
    before = mode(ask(lab))
    archive(lab)
    assert mode(ask(lab)) == before
    lab.ok("goal", "close")


def test_an_old_token_still_opens_nothing(old: tuple[Loopx, str, str]) -> None:
    lab, *_ = old
    token = lease(lab, add(lab, "three"))["claim_token"]
    archive(lab)
    assert rows(lab, "claim_tokens") == 2
    with foreign_hand(lab.root) as db:
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []
    assert token


def test_it_is_one_event_that_names_what_went(old: tuple[Loopx, str, str]) -> None:
    lab, one, two = old
    archive(lab, "--reason", "the quarter is over", "--operation-id", "op-a")
    event = lab.ok("log")["events"][-1]
    assert (event["action"], event["reason"], event["receipt"]) == (
        "todos_archived",
        "the quarter is over",
        {"archived": 2},
    )
    assert sorted(event["changes"]["archive"]) == [one, two]
    assert archive(lab, "--reason", "the quarter is over", "--operation-id", "op-a")["receipt"]["replayed"] is True
    lab.refused("undo", "--operation", "op-a", code="undo_impossible")


def test_a_dry_run_says_what_would_go(old: tuple[Loopx, str, str]) -> None:
    lab, one, two = old
    assert archive(lab, "--dry-run")["todo_ids"] == [one, two]
    assert listed(lab, "--archived") == []


def test_a_backup_and_a_replay_hold_what_is_archived(old: tuple[Loopx, str, str]) -> None:
    lab, one, two = old
    archive(lab)
    lab.ok("backup", "copy.db")
    before = state(lab)
    lab.ok("restore", "copy.db")
    assert state(lab) == before
    last = str(lab.ok("log")["total"])
    assert [todo["todo_id"] for todo in lab.ok("replay", "--at", last)["todos"]][:2] == [one, two]


@pytest.mark.parametrize("duration", ["0d", "never", "-1d"])
def test_how_old_is_a_duration(lab: Loopx, clock: FakeClock, duration: str) -> None:
    clock.advance(HOUR)
    lab.refused("todo", "archive", "--older-than", duration, exit_code=2)
