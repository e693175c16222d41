"""Monitors: each has its own clock and counter, waits silently, and wakes what it was waited for with."""

from __future__ import annotations

from typing import Any

import pytest

from loopx.core.instant import DAY, HOUR, MINUTE, SECOND
from tests.support.cli import Loopx
from tests.support.fakes import FakeClock
from tests.support.lab import add, add_gate, add_monitor, ask, finish, lease, mode, show, start_lab


@pytest.fixture
def lab(inside: Loopx) -> Loopx:
    return start_lab(inside)


def poll(monitor: str, result: str, *more: str, agent: str = "ann") -> tuple[str, ...]:
    return ("monitor", "poll", monitor, "--agent-id", agent, "--result", result, "--evidence", "looked", *more)


def no_change(lab: Loopx, monitor: str) -> dict[str, Any]:
    return lab.ok(*poll(monitor, "no_change"))


# --- when it is due ----------------------------------------------------------------------


def test_a_monitor_is_due_from_its_instant_on_and_not_a_microsecond_before(lab: Loopx, clock: FakeClock) -> None:
    monitor = add_monitor(lab, "--poll-every", "1h")
    clock.advance(HOUR - 1)
    refusal = lab.refused(*poll(monitor, "no_change"), code="monitor_not_due", exit_code=3)
    assert refusal.error["details"]["next_due_at"] == "2026-01-01T01:00:00Z"
    assert mode(ask(lab)) == "quiet_wait"
    clock.advance(1)
    assert mode(ask(lab)) == "monitor_poll"
    document = no_change(lab, monitor)
    assert document["next_due_at"] == "2026-01-01T02:00:00Z"
    assert document["consecutive_no_change"] == 1


def test_a_monitor_that_is_not_due_wakes_nobody_and_says_when_it_will(lab: Loopx) -> None:
    add_monitor(lab, "--next-due-at", "in:24h")
    packet = ask(lab)
    assert packet["should_run"] is False
    assert packet["scheduler_hint"]["next_wake_at"] == "2026-01-02T00:00:00Z"
    assert packet["scheduler_hint"]["poll_after_seconds"] == 86_400
    assert packet["interaction_contract"]["agent_channel"]["blocking"] == []
    assert packet["frontier"]["monitors_waiting"] == 1


def test_a_change_is_welcome_at_any_time_and_starts_the_count_anew(lab: Loopx, clock: FakeClock) -> None:
    monitor = add_monitor(lab)
    clock.advance(HOUR)
    no_change(lab, monitor)
    clock.advance(MINUTE)
    document = lab.ok(*poll(monitor, "changed"))
    assert document["consecutive_no_change"] == 0
    assert document["next_due_at"] == "2026-01-01T02:01:00Z"


def test_a_monitor_without_interval_is_asked_again_after_an_hour_or_when_it_says(lab: Loopx, clock: FakeClock) -> None:
    monitor = add_monitor(lab, "--next-due-at", "in:1m")
    clock.advance(MINUTE)
    assert no_change(lab, monitor)["next_due_at"] == "2026-01-01T01:01:00Z"
    clock.advance(HOUR)
    document = lab.ok(*poll(monitor, "no_change", "--next-due-at", "in:2h"))
    assert document["next_due_at"] == "2026-01-01T03:01:00Z"


@pytest.mark.parametrize(
    ("spelling", "instant"),
    [
        ("2026-03-29T01:59:59+01:00", "2026-03-29T00:59:59Z"),  # the last second of winter time in Berlin
        ("2026-03-29T03:00:00+02:00", "2026-03-29T01:00:00Z"),  # and the first of summer time, one second later
        ("2026-10-25T02:30:00+02:00", "2026-10-25T00:30:00Z"),  # the hour that comes twice: first
        ("2026-10-25T02:30:00+01:00", "2026-10-25T01:30:00Z"),  # and second
        ("2026-07-01T00:00:00-09:30", "2026-07-01T09:30:00Z"),
        ("2026-07-01T00:00:00+14:00", "2026-06-30T10:00:00Z"),
        ("2026-07-01T00:00:00.123456Z", "2026-07-01T00:00:00.123456Z"),
        ("2026-02-28T23:59:59.5-00:01", "2026-03-01T00:00:59.500000Z"),
        ("in:90m", "2026-01-01T01:30:00Z"),
    ],
)
def test_a_time_is_told_in_any_zone_and_shown_in_utc(lab: Loopx, spelling: str, instant: str) -> None:
    assert show(lab, add_monitor(lab, "--next-due-at", spelling))["next_due_at"] == instant


@pytest.mark.parametrize(
    "spelling",
    [
        "2026-03-29T02:30:00",  # no zone: which of the clocks of the world is meant?
        "2026-03-29",
        "tomorrow",
        "2026-02-30T00:00:00Z",
        "2026-01-01T25:00:00Z",
        "2026-03-29T02:30:00 Europe/Berlin",
        "in:0s",
        "in:-1h",
        "in:400d",
        "in:NaNs",
        "0001-01-01T00:00:00+14:00",  # before the first year there is
        "9999-12-31T23:59:59-14:00",
    ],
)
def test_what_is_no_time_is_refused_with_the_accepted_form(lab: Loopx, spelling: str) -> None:
    argv = ("todo", "add", "--text", "x", "--task-class", "continuous_monitor", "--next-due-at", spelling)
    lab.refused(*argv, code="usage", exit_code=2)
    assert lab.ok("todo", "list")["total"] == 0


# --- whose counters, whose clock -----------------------------------------------------------


def test_a_poll_changes_this_monitor_alone(lab: Loopx, clock: FakeClock) -> None:
    one, other = add_monitor(lab), add_monitor(lab, "--poll-every", "30m")
    clock.advance(HOUR)
    before = show(lab, other)
    for _ in range(3):
        no_change(lab, one)
        clock.advance(HOUR)
    assert show(lab, one)["consecutive_no_change"] == 3
    assert show(lab, other) == before


@pytest.mark.parametrize("step", [-DAY, -SECOND, DAY])
def test_a_clock_that_steps_neither_loses_nor_invents_a_poll(lab: Loopx, clock: FakeClock, step: int) -> None:
    monitor = add_monitor(lab)
    clock.advance(HOUR)
    no_change(lab, monitor)
    clock.advance(step)
    if step < 0:
        lab.refused(*poll(monitor, "no_change"), code="monitor_not_due")
        assert show(lab, monitor)["consecutive_no_change"] == 1
        lab.ok(*poll(monitor, "changed"))
    else:
        assert no_change(lab, monitor)["consecutive_no_change"] == 2


def test_a_poll_is_said_with_evidence_and_of_a_monitor(lab: Loopx) -> None:
    monitor, work = add_monitor(lab), add(lab, "work")
    argv = ("monitor", "poll", monitor, "--agent-id", "ann", "--result")
    lab.refused(*argv, "changed", code="evidence_required", exit_code=3)
    lab.refused(*argv, "changed", "--evidence", " \t", code="usage")
    lab.refused(*argv, "perhaps", "--evidence", "x", code="usage")
    lab.refused(*poll(work, "changed"), code="todo_invalid")
    lab.refused(*poll("todo_zzzzzzzzzz", "changed"), code="todo_not_found", exit_code=7)


def test_a_peers_monitor_is_polled_by_its_owner_alone(lab: Loopx, clock: FakeClock) -> None:
    monitor = add_monitor(lab)
    lab.ok("todo", "claim", monitor, "--claimed-by", "bob")
    clock.advance(HOUR)
    lab.refused(*poll(monitor, "changed"), code="not_claim_owner")
    lab.refused("monitor", "poll", monitor, "--result", "changed", "--evidence", "x", code="actor_required")
    as_person = ("monitor", "poll", monitor, "--result", "changed", "--evidence", "x", "--as-user")
    lab.refused(*as_person, code="reason_required")
    lab.ok(*as_person, "--reason", "bob is away")
    assert mode(ask(lab, "ann")) == "wait_peers"


def test_a_monitor_under_a_lease_is_polled_with_its_token(lab: Loopx, clock: FakeClock) -> None:
    monitor, asleep = add_monitor(lab), add(lab, "then this", "--status", "deferred", "--resume-when", "in:9d")
    token = lease(lab, monitor, "ann", "--ttl", "2h")["claim_token"]
    clock.advance(HOUR)
    lab.refused(*poll(monitor, "no_change"), code="claim_token_required")
    lab.ok(*poll(monitor, "changed", "--claim-token", token, "--successor-todo-id", asleep))
    assert show(lab, asleep)["status"] == "open"


def test_an_excluded_agent_polls_nothing(lab: Loopx) -> None:
    monitor = add_monitor(lab, "--poll-every", "1h", "--excluded-agent", "ann")
    lab.refused(*poll(monitor, "changed"), code="agent_excluded")


# --- what follows --------------------------------------------------------------------------


def test_a_change_creates_its_successor_unclaimed(lab: Loopx) -> None:
    monitor = add_monitor(lab)
    document = lab.ok(*poll(monitor, "changed", "--next-agent-todo", "[P0] CI failed: mend it"))
    (successor,) = document["successors"]
    todo = show(lab, successor)
    assert (todo["priority"], todo["claimed_by"], todo["predecessor"]) == ("P0", None, monitor)
    assert ask(lab)["selected_todo"]["todo_id"] == successor
    assert show(lab, monitor)["status"] == "open"


@pytest.mark.parametrize(
    "aside", [("--status", "deferred", "--resume-when", "pr_merged:x#1"), ("--status", "blocked", "--reason", "stuck")]
)
def test_a_change_wakes_a_todo_that_was_put_aside(lab: Loopx, aside: tuple[str, ...]) -> None:
    monitor, asleep = add_monitor(lab), add(lab, "then this", *aside)
    lab.ok(*poll(monitor, "changed", "--successor-todo-id", asleep))
    todo = show(lab, asleep)
    assert (todo["status"], todo["resume_when"], todo["block_reason"]) == ("open", None, None)
    assert show(lab, monitor)["successors"] == [asleep]
    assert ask(lab)["selected_todo"]["todo_id"] == asleep


def test_a_successor_is_in_the_lineage_once_however_often_it_is_named(lab: Loopx) -> None:
    monitor, todo = add_monitor(lab), add(lab, "then this")
    for _ in range(2):
        lab.ok(*poll(monitor, "changed", "--successor-todo-id", todo))
    assert show(lab, monitor)["successors"] == [todo]


def test_nothing_follows_from_no_change(lab: Loopx, clock: FakeClock) -> None:
    monitor = add_monitor(lab)
    clock.advance(HOUR)
    lab.refused(*poll(monitor, "no_change", "--next-agent-todo", "x"), code="usage")
    assert show(lab, monitor)["consecutive_no_change"] == 0


def test_a_poll_is_no_back_door_to_what_may_not_be_reopened(lab: Loopx) -> None:
    """The doors of `todo reopen` and of a poll's successor are one."""
    monitor = add_monitor(lab)
    gate = add_gate(lab, "direction:action:x", "--blocks-agent", "bob")
    lab.ok("todo", "defer", gate, "--resume-when", "in:9d")
    lab.refused(*poll(monitor, "changed", "--successor-todo-id", gate), code="user_decision_required")
    theirs = add(lab, "theirs", "--claimed-by", "bob")
    lab.ok("todo", "block", theirs, "--agent-id", "bob", "--reason", "stuck")
    lab.refused(*poll(monitor, "changed", "--successor-todo-id", theirs), code="not_claim_owner")
    done = add(lab, "done")
    finish(lab, done)
    lab.refused(*poll(monitor, "changed", "--successor-todo-id", done), code="already_done", exit_code=4)
    lab.refused(*poll(monitor, "changed", "--successor-todo-id", monitor), code="successor_invalid")
    assert show(lab, monitor)["successors"] == []


# --- how it ends ---------------------------------------------------------------------------


def test_a_monitor_at_its_limit_asks_for_a_plan_and_others_keep_their_own_count(lab: Loopx, clock: FakeClock) -> None:
    stalled, fresh = add_monitor(lab), add_monitor(lab, "--next-due-at", "in:9d")
    for _ in range(10):
        clock.advance(HOUR)
        assert mode(ask(lab)) == "monitor_poll"
        no_change(lab, stalled)
    packet = ask(lab)
    assert mode(packet) == "replan"
    assert stalled in packet["reason"]
    assert show(lab, fresh)["consecutive_no_change"] == 0
    lab.ok(*poll(stalled, "changed"))
    assert mode(ask(lab)) == "quiet_wait"


def test_a_monitor_past_its_end_is_a_repair_that_its_completion_mends(lab: Loopx, clock: FakeClock) -> None:
    monitor = add_monitor(lab, "--poll-every", "1h", "--expires-at", "in:30m")
    clock.advance(30 * MINUTE - 1)
    assert mode(ask(lab)) == "quiet_wait"
    clock.advance(1)
    packet = ask(lab)
    assert mode(packet) == "control_plane_self_repair"
    assert packet["repair"]["errors"] == [{"reason_code": "monitor_expired", "todo_id": monitor}]
    lab.ok("todo", "complete", monitor, "--claimed-by", "ann", "--evidence", "gave up", "--next-agent-todo", "ask")
    assert mode(ask(lab)) == "bounded_delivery"


def test_a_due_monitor_outranks_lesser_work_and_waits_behind_greater(lab: Loopx, clock: FakeClock) -> None:
    add(lab, "[P1] work")
    monitor = add_monitor(lab, "--poll-every", "1h", "--priority", "P2")
    clock.advance(HOUR)
    assert mode(ask(lab)) == "bounded_delivery"
    lab.ok("todo", "update", monitor, "--priority", "P0")
    assert mode(ask(lab)) == "monitor_poll"


def test_endless_greater_work_does_not_starve_a_monitor(lab: Loopx, clock: FakeClock) -> None:
    add(lab, "[P1] work")
    monitor = add_monitor(lab, "--poll-every", "1h", "--priority", "P2")
    clock.advance(2 * HOUR - 1)
    assert mode(ask(lab)) == "bounded_delivery"
    clock.advance(1)
    packet = ask(lab)
    assert mode(packet) == "monitor_poll"
    assert packet["selected_todo"]["todo_id"] == monitor
    assert packet["interaction_contract"]["agent_channel"]["delivery_allowed"] is False
