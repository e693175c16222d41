"""One-way door: nothing is taken that could never be done, never wake or never be reached (W10.5, hardening)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.project import make_state

if TYPE_CHECKING:
    from tests.support.cli import Loopx


@pytest.fixture
def lab(inside: Loopx) -> Loopx:
    make_state(inside.root)
    return inside


def added(lab: Loopx, *options: str) -> str:
    return str(lab.ok("todo", "add", "--text", "x", *options)["todo"]["todo_id"])


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--status", "deferred"), "resume_condition_invalid"),
        (("--status", "blocked"), "reason_required"),
        (("--task-class", "blocker"), "reason_required"),
        (("--task-class", "continuous_monitor"), "usage"),
        (("--resume-when", "in:1h"), "usage"),
        (("--status", "deferred", "--resume-when", "someday"), "resume_condition_invalid"),
        (("--status", "deferred", "--resume-when", "todo_done:todo_nowhere"), "todo_not_found"),
        (("--status", "deferred", "--resume-when", "capacity_available:none"), "resume_condition_unsatisfiable"),
        (("--bound-agent", "ann", "--excluded-agent", "ann"), "usage"),
        (("--bound-agent", "ann", "--claimed-by", "bob"), "agent_bound"),
        (("--excluded-agent", "bob", "--claimed-by", "bob"), "agent_excluded"),
        (("--bound-agent", "nobody"), "agent_not_registered"),
    ],
)
def test_a_todo_that_could_never_end_is_refused_at_entry(lab: Loopx, options: tuple[str, ...], code: str) -> None:
    lab.refused("todo", "add", "--text", "x", *options, code=code)
    assert lab.ok("todo", "list")["total"] == 0


def test_a_monitor_is_never_done_so_nothing_sleeps_until_it_is(lab: Loopx) -> None:
    monitor = added(lab, "--task-class", "continuous_monitor", "--poll-every", "1m")
    todo = added(lab)
    lab.refused("todo", "defer", todo, "--resume-when", f"todo_done:{monitor}", code="resume_condition_unsatisfiable")


def test_an_update_cannot_close_the_door_either(lab: Loopx) -> None:
    todo = added(lab, "--bound-agent", "ann")
    lab.refused("todo", "update", todo, "--excluded-agent", "ann", code="usage")
    gate = added(lab, "--role", "user", "--task-class", "user_gate", "--global-gate")
    lab.refused("todo", "update", gate, "--unblocks-todo-id", gate, code="usage")
    blocked = added(lab, "--status", "blocked", "--blocked-by", todo)
    lab.refused("todo", "update", blocked, "--remove-blocked-by", todo, code="reason_required")


def test_a_gate_that_takes_the_place_of_what_it_frees_frees_nothing_else(lab: Loopx) -> None:
    todo = added(lab)
    options = ("--role", "user", "--task-class", "user_gate", "--global-gate", "--unblocks-todo-id", todo)
    gate = added(lab, *options)
    lab.ok("todo", "supersede", todo, "--agent-id", "ann", "--reason", "asked", "--successor-todo-id", gate)
    assert lab.ok("todo", "show", gate)["todo"]["unblocks_todo_id"] is None


def test_a_monitor_that_has_a_successor_completes_with_the_same_one(lab: Loopx) -> None:
    todo = added(lab)
    monitor = added(lab, "--task-class", "continuous_monitor", "--poll-every", "1m")
    found = ("--evidence", "seen", "--agent-id", "ann", "--successor-todo-id", todo)
    lab.ok("monitor", "poll", monitor, "--result", "changed", *found)
    lab.ok("todo", "complete", monitor, *found)
    assert lab.ok("todo", "show", monitor)["todo"]["successors"] == [todo]


def test_a_list_of_an_agent_that_nobody_knows_is_refused_with_the_near_one(lab: Loopx) -> None:
    added(lab, "--claimed-by", "ann")
    assert lab.ok("todo", "list", "--claimed-by", " ann ")["total"] == 1
    answer = lab.refused("todo", "list", "--claimed-by", "Ann", code="agent_not_registered")
    assert "'ann'" in answer.error["message"]
