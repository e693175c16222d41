"""Deferred work: a condition that a machine can test, that can come true, and that is never lost."""

from __future__ import annotations

import pytest

from loopx.core.instant import HOUR, SECOND
from tests.support.cli import Loopx
from tests.support.fakes import FakeClock
from tests.support.lab import add, add_monitor, ask, claim_next, finish, mode, show, start_lab


@pytest.fixture
def lab(inside: Loopx) -> Loopx:
    return start_lab(inside)


def asleep(lab: Loopx, condition: str, *more: str) -> str:
    return add(lab, "later", "--status", "deferred", "--resume-when", condition, *more)


def is_awake(lab: Loopx, todo: str) -> bool:
    selected = ask(lab)["selected_todo"]
    return selected is not None and bool(selected["todo_id"] == todo)


# --- at, in ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("condition", "stored"),
    [
        ("in:1h", "at:2026-01-01T01:00:00Z"),
        ("at:in:1h", "at:2026-01-01T01:00:00Z"),
        ("at:2026-01-01T02:00:00+01:00", "at:2026-01-01T01:00:00Z"),
        (" at: 2026-01-01T01:00:00Z ", "at:2026-01-01T01:00:00Z"),
    ],
)
def test_a_time_is_stored_as_one_instant_and_wakes_exactly_then(
    lab: Loopx, clock: FakeClock, condition: str, stored: str
) -> None:
    todo = asleep(lab, condition)
    assert show(lab, todo)["resume_when"] == stored
    packet = ask(lab)
    assert mode(packet) == "quiet_wait"
    assert packet["scheduler_hint"]["next_wake_at"] == "2026-01-01T01:00:00Z"
    clock.advance(HOUR - 1)
    assert not is_awake(lab, todo)
    clock.advance(1)
    assert is_awake(lab, todo)


def test_a_clock_that_steps_back_puts_to_sleep_what_nobody_has_taken(lab: Loopx, clock: FakeClock) -> None:
    todo = asleep(lab, "in:1h")
    clock.advance(2 * HOUR)
    assert is_awake(lab, todo)
    clock.advance(-2 * HOUR)
    assert not is_awake(lab, todo)
    clock.advance(2 * HOUR)
    assert claim_next(lab)["claim"]["task"]["id"] == todo
    clock.advance(-2 * HOUR)
    assert show(lab, todo)["status"] == "open"


def test_a_time_that_has_passed_wakes_at_once(lab: Loopx) -> None:
    assert is_awake(lab, asleep(lab, "at:2025-12-31T23:59:59Z"))


# --- todo_done -----------------------------------------------------------------------------------


def test_what_waits_for_a_todo_wakes_when_it_is_done(lab: Loopx) -> None:
    first = add(lab, "first", "--bound-agent", "bob")
    todo = asleep(lab, f"todo_done:{first}")
    assert not is_awake(lab, todo)
    finish(lab, first, "bob")
    assert is_awake(lab, todo)


def test_a_prefix_and_another_case_mean_the_whole_id(lab: Loopx) -> None:
    first = add(lab, "first")
    todo = asleep(lab, f"todo_done:{first.upper().removeprefix('TODO_')}")
    assert show(lab, todo)["resume_when"] == f"todo_done:{first}"


def test_a_condition_follows_its_todo_to_what_replaces_it(lab: Loopx) -> None:
    first = add(lab, "first", "--bound-agent", "bob")
    todo = asleep(lab, f"todo_done:{first}")
    (second,) = lab.ok("todo", "supersede", first, "--reason", "r", "--next-agent-todo", "second")["successors"]
    assert show(lab, todo)["resume_when"] == f"todo_done:{second}"
    third = add(lab, "third", "--bound-agent", "bob")
    lab.ok("todo", "supersede", second, "--reason", "r", "--successor-todo-id", third)
    assert show(lab, todo)["resume_when"] == f"todo_done:{third}"
    late = asleep(lab, f"todo_done:{first}")  # named by its old id, it is followed at entry
    assert show(lab, late)["resume_when"] == f"todo_done:{third}"
    finish(lab, third, "bob")
    assert is_awake(lab, todo)


@pytest.mark.parametrize("end", ["failed", "superseded"])
def test_what_can_never_come_true_is_a_repair_and_not_a_silence(lab: Loopx, end: str) -> None:
    first = add(lab, "first")
    todo = asleep(lab, f"todo_done:{first}")
    if end == "failed":
        lab.ok("todo", "complete", first, "--claimed-by", "ann", "--evidence", "no", "--outcome", "failed")
    else:
        lab.ok("todo", "supersede", first, "--reason", "r", "--no-replacement")
    packet = ask(lab)
    assert mode(packet) == "control_plane_self_repair"
    assert packet["repair"]["errors"] == [{"reason_code": "resume_unsatisfiable", "todo_id": todo}]
    lab.ok("todo", "reopen", todo, "--agent-id", "ann")
    assert is_awake(lab, todo)


def test_what_was_done_before_wakes_at_once(lab: Loopx) -> None:
    first = add(lab, "first")
    finish(lab, first)
    assert is_awake(lab, asleep(lab, f"todo_done:{first}"))


# --- at entry ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "condition",
    ["", "later", "pr_merged", "pr_merged:", "todo_dine:x", "at:tomorrow", "at:", "in:0s", "in:1w", "in:NaNs",
     "at:2026-03-29T02:30:00", "pr_merged:a b", "capacity:gpu", "at:9999-12-31T23:59:59-14:00"],
)  # fmt: skip
def test_a_condition_that_no_machine_can_test_is_refused(lab: Loopx, condition: str) -> None:
    argv = ("todo", "add", "--text", "x", "--status", "deferred", "--resume-when", condition)
    lab.refused(*argv, code="resume_condition_invalid", exit_code=3)
    todo = add(lab, "work")
    lab.refused("todo", "defer", todo, "--resume-when", condition, code="resume_condition_invalid")
    assert show(lab, todo)["status"] == "open"


def test_a_misspelt_kind_is_refused_with_the_near_match(lab: Loopx) -> None:
    refusal = lab.refused(
        "todo", "defer", add(lab, "x"), "--resume-when", "pr_mergd:x", code="resume_condition_invalid"
    )
    assert "pr_merged" in refusal.error["message"]


def test_a_condition_that_can_never_hold_is_refused(lab: Loopx) -> None:
    monitor, failed = add_monitor(lab), add(lab, "fails")
    lab.ok("todo", "complete", failed, "--claimed-by", "ann", "--evidence", "no", "--outcome", "failed")
    given_up = add(lab, "given up")
    lab.ok("todo", "supersede", given_up, "--reason", "r", "--no-replacement")
    todo = add(lab, "work")
    for ref in (monitor, failed, given_up):
        argv = ("todo", "defer", todo, "--resume-when", f"todo_done:{ref}")
        lab.refused(*argv, code="resume_condition_unsatisfiable", exit_code=3)
    lab.refused("todo", "defer", todo, "--resume-when", f"todo_done:{todo}", code="resume_condition_unsatisfiable")
    lab.refused("todo", "defer", todo, "--resume-when", "todo_done:todo_zzzzzzzzzz", code="todo_not_found", exit_code=7)
    lab.refused("todo", "defer", todo, code="resume_condition_invalid")


def test_two_that_would_wait_for_each_other_would_wait_for_ever(lab: Loopx) -> None:
    one, two = add(lab, "one"), add(lab, "two")
    lab.ok("todo", "defer", one, "--resume-when", f"todo_done:{two}")
    lab.refused("todo", "defer", two, "--resume-when", f"todo_done:{one}", code="resume_condition_unsatisfiable")
    lab.refused("todo", "block", two, "--blocked-by", one, code="dependency_cycle", exit_code=3)


# --- waking ------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["claim", "claim-next", "acquire"])
def test_whoever_takes_it_opens_it(lab: Loopx, clock: FakeClock, verb: str) -> None:
    todo = asleep(lab, "in:1h")
    argv = {
        "claim": ("todo", "claim", todo, "--claimed-by", "ann"),
        "claim-next": ("todo", "claim-next", "--agent-id", "ann"),
        "acquire": ("task-lease", "acquire", todo, "--agent-id", "ann"),
    }[verb]
    if verb == "claim-next":
        assert lab.ok(*argv)["claim"] is None
    else:
        lab.refused(*argv, code="todo_not_open", exit_code=3)
    assert show(lab, todo)["resume_when"] == "at:2026-01-01T01:00:00Z"
    clock.advance(HOUR)
    lab.ok(*argv)
    whole = show(lab, todo)
    assert (whole["status"], whole["resume_when"]) == ("open", None)


def test_a_condition_that_holds_is_no_way_around_a_dependency(lab: Loopx, clock: FakeClock) -> None:
    first = add(lab, "first", "--bound-agent", "bob")
    todo = asleep(lab, "in:1s", "--blocked-by", first)
    clock.advance(SECOND)
    assert not is_awake(lab, todo)
    lab.refused("task-lease", "acquire", todo, "--agent-id", "ann", code="todo_blocked", exit_code=3)
    assert show(lab, todo)["status"] == "deferred"


def test_a_new_condition_replaces_the_old_one(lab: Loopx, clock: FakeClock) -> None:
    todo = asleep(lab, "in:1h")
    lab.ok("todo", "defer", todo, "--resume-when", "in:3h")
    clock.advance(HOUR)
    assert not is_awake(lab, todo)
    clock.advance(2 * HOUR)
    assert is_awake(lab, todo)


def test_a_superseded_todo_is_never_resumed(lab: Loopx, clock: FakeClock) -> None:
    todo = asleep(lab, "in:1h")
    lab.ok("todo", "supersede", todo, "--reason", "r", "--no-replacement")
    clock.advance(2 * HOUR)
    whole = show(lab, todo)
    assert (whole["status"], whole["closure"], whole["resume_when"]) == ("deferred", "superseded", None)
    for argv in (("todo", "reopen", todo), ("todo", "claim", todo, "--claimed-by", "ann")):
        lab.refused(*argv, code="todo_not_open", exit_code=3)
    assert not is_awake(lab, todo)


def test_editing_a_sleeping_todo_keeps_its_condition(lab: Loopx) -> None:
    todo = asleep(lab, "pr_merged:x#1")
    lab.ok("todo", "update", todo, "--priority", "P0", "--text", "another text")
    assert show(lab, todo)["resume_when"] == "pr_merged:x#1"
    lab.ok("fact", "record", "pr_merged:x#1", "--evidence", "seen")
    assert is_awake(lab, todo)
