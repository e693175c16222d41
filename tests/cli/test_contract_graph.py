"""Edges, deferral and closure as `cli.md` and W10 state them, through the whole command."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.cli import Loopx
    from tests.support.fakes import FakeClock

HOUR = 3_600_000_000
BY = ("--claimed-by", "agent-a", "--evidence", "seen")


@pytest.fixture
def project(inside: Loopx) -> Loopx:
    """A goal with two agents, asked inside this process."""
    inside.ok("init", "--goal-id", "g", "--objective", "Ship it", "--agent", "agent-a", "--agent", "agent-b")
    return inside


def add(project: Loopx, text: str, *options: str) -> str:
    todo_id = project.ok("todo", "add", "--text", text, *options)["todo"]["todo_id"]
    assert isinstance(todo_id, str)
    return todo_id


def mode(project: Loopx) -> str:
    packet = project.ok("quota", "should-run", "--agent-id", "agent-a")
    return str(packet["interaction_contract"]["mode"])


def replaced(project: Loopx) -> tuple[str, str]:
    """A superseded todo, and what has taken its place."""
    old = add(project, "old")
    answer = project.ok("todo", "supersede", old, "--reason", "other way", "--next-agent-todo", "new")
    return old, answer["successors"][0]


def test_a_new_dependency_on_a_superseded_todo_waits_for_its_replacement(project: Loopx) -> None:
    old, new = replaced(project)
    added = add(project, "added", "--blocked-by", old)
    updated, blocked = add(project, "updated"), add(project, "blocked")
    project.ok("todo", "update", updated, "--blocked-by", old)
    project.ok("todo", "block", blocked, "--blocked-by", old)
    for todo_id in (added, updated, blocked):
        assert project.ok("todo", "show", todo_id)["todo"]["blocked_by"] == [new]
    assert set(project.ok("todo", "complete", new, *BY, "--no-follow-up")["unblocked"]) >= {added, updated}


def test_a_new_gate_link_to_a_superseded_todo_holds_its_replacement(project: Loopx) -> None:
    old, new = replaced(project)
    question = add(
        project, "May I?", "--role", "user", "--task-class", "user_gate", "--blocks-agent", "agent-a",
        "--unblocks-todo-id", old,
    )  # fmt: skip
    assert project.ok("todo", "show", question)["todo"]["unblocks_todo_id"] == new
    assert project.ok("todo", "why", new, "--agent-id", "agent-a")["runnable"] is False


def test_an_update_that_changes_nothing_is_refused(project: Loopx) -> None:
    project.refused("todo", "update", add(project, "one"), code="usage", exit_code=2)


def test_a_failed_dependency_is_not_met_and_is_repaired_by_naming_another(project: Loopx) -> None:
    first = add(project, "first")
    waiting = add(project, "waiting", "--blocked-by", first)
    failed = project.ok("todo", "complete", first, *BY, "--outcome", "failed", "--no-follow-up")
    assert (failed["closure"], failed["unblocked"]) == ("failed", [])
    assert mode(project) == "control_plane_self_repair"
    retry = add(project, "retry")
    project.ok("todo", "update", waiting, "--remove-blocked-by", first, "--blocked-by", retry)
    assert mode(project) == "bounded_delivery"


def test_a_resume_condition_follows_a_chain_of_replacements(project: Loopx) -> None:
    first = add(project, "first")
    sleeper = add(project, "sleeper", "--status", "deferred", "--resume-when", f"todo_done:{first}")
    second = project.ok("todo", "supersede", first, "--reason", "r", "--next-agent-todo", "second")["successors"][0]
    third = project.ok("todo", "supersede", second, "--reason", "r", "--next-agent-todo", "third")["successors"][0]
    assert project.ok("todo", "show", sleeper)["todo"]["resume_when"] == f"todo_done:{third}"
    project.ok("todo", "complete", third, *BY, "--no-follow-up")
    claim = project.ok("todo", "claim-next", "--agent-id", "agent-a")["claim"]
    assert claim["task"]["id"] == sleeper


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--status", "deferred"), "resume_condition_invalid"),
        (("--status", "blocked"), "reason_required"),
        (("--status", "deferred", "--resume-when", "capacity_available:none"), "resume_condition_unsatisfiable"),
        (("--status", "deferred", "--resume-when", "someday"), "resume_condition_invalid"),
        (("--resume-when", "in:1h"), "usage"),
        (("--task-class", "continuous_monitor"), "usage"),
        (("--role", "user", "--task-class", "advancement_task"), "usage"),
        (("--priority", "P5"), "usage"),
        (("--required-write-scope", "../up"), "write_scope_invalid"),
        (("--blocked-by", "todo_nosuch"), "dependency_missing"),
        (("--excluded-agent", "agent-A"), "agent_not_registered"),
    ],
)
def test_a_todo_that_could_never_move_is_not_added(project: Loopx, options: tuple[str, ...], code: str) -> None:
    project.refused("todo", "add", "--text", "one", *options, code=code)
    assert project.ok("todo", "list")["total"] == 0


def test_a_priority_in_the_text_and_in_the_option_must_agree(project: Loopx) -> None:
    project.refused("todo", "add", "--text", "[P0] one", "--priority", "P1", code="usage", exit_code=2)
    todo_id = add(project, "[P3] one")
    project.ok("todo", "update", todo_id, "--priority", "P0")
    todo = project.ok("todo", "show", todo_id)["todo"]
    assert (todo["priority"], todo["text"]) == ("P0", "[P0] one")


def test_a_literal_backslash_n_is_kept_with_a_warning(project: Loopx) -> None:
    answer = project.ok("todo", "add", "--text", r"one\ntwo")
    assert answer["todo"]["text"] == r"one\ntwo"
    assert len(answer["warnings"]) == 1


def test_a_monitor_counts_and_waits_for_itself_alone(project: Loopx, clock: FakeClock) -> None:
    monitors = [add(project, text, "--task-class", "continuous_monitor", "--poll-every", "1h") for text in "ab"]
    poll = ("monitor", "poll", monitors[0], "--agent-id", "agent-a", "--evidence", "seen", "--result")
    project.refused(*poll, "no_change", code="monitor_not_due", exit_code=3)
    project.ok(*poll, "changed")
    clock.advance(HOUR)
    project.ok(*poll, "no_change")
    counts = [project.ok("todo", "show", todo_id)["todo"]["consecutive_no_change"] for todo_id in monitors]
    assert counts == [1, 0]


def test_a_goal_ends_only_with_evidence_for_every_criterion_and_every_gap_settled(inside: Loopx) -> None:
    inside.ok("init", "--goal-id", "g", "--objective", "o", "--acceptance", "It works", "--agent", "agent-a")
    assert mode(inside) == "replan"
    work = add(inside, "one")
    inside.ok("todo", "complete", work, *BY)
    assert mode(inside) == "replan"
    inside.refused("goal", "close", code="closure_incomplete")
    inside.ok("todo", "update", work, "--no-follow-up", "--reason", "nothing follows")
    assert mode(inside) == "replan"
    inside.ok("goal", "accept", "--criterion", "A1", "--evidence", "seen")
    assert mode(inside) == "terminal_no_followup"
    inside.ok("goal", "close")


def test_a_todo_is_looked_for_in_the_goal_that_is_named(project: Loopx) -> None:
    todo_id = add(project, "one")
    project.ok("goal", "add", "--goal-id", "other", "--objective", "more", "--agent", "agent-a")
    for view in (("todo", "show", todo_id), ("todo", "why", todo_id, "--agent-id", "agent-a")):
        project.ok(*view)
        project.refused(*view, "--goal-id", "other", code="todo_not_found", exit_code=7)
        project.refused(*view, "--goal-id", "nowhere", code="goal_not_found", exit_code=7)


def test_the_reason_of_an_override_is_shown_with_the_todo_and_in_the_log(project: Loopx) -> None:
    held = add(project, "held", "--claimed-by", "agent-a")
    project.ok("authority", "grant", "--agent-id", "agent-b", "--action", "complete", "--requires-reason")
    project.ok(
        "todo", "complete", held, "--claimed-by", "agent-b", "--evidence", "seen", "--no-follow-up",
        "--authority-reason", "agent-a is away",
    )  # fmt: skip
    assert project.ok("todo", "show", held)["todo"]["completion_rationale"] == "agent-a is away"
    assert "agent-a is away" in str(project.ok("log", "--todo-id", held)["events"])


def test_an_update_gives_a_sleeper_another_condition_and_an_open_todo_none(project: Loopx, clock: FakeClock) -> None:
    awaited = add(project, "awaited")
    sleeper = add(project, "sleeper", "--status", "deferred", "--resume-when", "in:9h")
    project.ok("todo", "update", sleeper, "--resume-when", f"todo_done:{awaited}")
    assert project.ok("todo", "show", sleeper)["todo"]["resume_when"] == f"todo_done:{awaited}"
    project.refused("todo", "update", sleeper, "--resume-when", f"todo_done:{sleeper}", exit_code=3)
    project.refused("todo", "update", awaited, "--resume-when", "in:1h", code="usage", exit_code=2)
    project.ok("todo", "update", sleeper, "--resume-when", "in:1h")
    clock.advance(HOUR)
    assert project.ok("todo", "why", sleeper, "--agent-id", "agent-a")["runnable"] is True
