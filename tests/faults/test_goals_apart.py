"""Several goals in one project: nothing crosses between them, and every printed command still runs (hardening)."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import pytest

from tests.support.project import make_state

if TYPE_CHECKING:
    from tests.support.cli import Loopx

REGISTRY = """\
version: 1
goals:
  - {id: one, objective: First, coordination: {agents: [{id: ann}, {id: bob}]}}
  - {id: two, objective: Second, coordination: {agents: [{id: ann}, {id: zoe}]}}
"""


@pytest.fixture
def both(inside: Loopx) -> Loopx:
    make_state(inside.root, REGISTRY)
    return inside


def added(both: Loopx, goal: str, *options: str) -> str:
    return str(both.ok("todo", "add", "--text", "x", "--goal-id", goal, *options)["todo"]["todo_id"])


def test_a_new_todo_needs_its_goal_and_an_existing_one_has_it(both: Loopx) -> None:
    both.refused("todo", "add", "--text", "x", code="usage")
    todo = added(both, "two")
    assert both.ok("todo", "claim", todo, "--claimed-by", "zoe")["todo"]["goal_id"] == "two"
    both.ok("todo", "release", todo, "--agent-id", "zoe")
    both.ok("todo", "update", todo, "--priority", "P1")
    both.ok("todo", "reassign", todo, "--claimed-by", "ann")
    both.ok("todo", "block", todo, "--agent-id", "ann", "--reason", "r")
    both.ok("todo", "reopen", todo, "--agent-id", "ann")
    lease = both.ok("task-lease", "acquire", todo, "--agent-id", "ann")["lease"]
    beat = ("--lease-id", lease["lease_id"], "--agent-id", "ann", "--expect-version", str(lease["version"]))
    token = both.ok("task-lease", "renew", *beat)["lease"]["claim_token"]
    both.ok("todo", "complete", todo, "--claimed-by", "ann", "--evidence", "e", "--claim-token", token)
    assert {event["goal_id"] for event in both.ok("log")["events"]} == {"two"}


def test_an_agent_of_another_goal_is_a_stranger(both: Loopx) -> None:
    todo = added(both, "one")
    both.refused("todo", "claim", todo, "--claimed-by", "zoe", code="agent_not_registered")
    both.refused("todo", "reassign", todo, "--claimed-by", "zoe", "--agent-id", "ann", code="agent_not_registered")


def test_a_named_goal_hides_the_todos_of_every_other(both: Loopx) -> None:
    todo = added(both, "one")
    both.refused("todo", "claim", todo, "--claimed-by", "ann", "--goal-id", "two", code="todo_not_found")


def test_no_edge_condition_or_successor_leads_into_another_goal(both: Loopx) -> None:
    here, there = added(both, "one"), added(both, "two")
    both.refused("todo", "update", here, "--blocked-by", there, code="dependency_missing")
    both.refused("todo", "defer", here, "--resume-when", f"todo_done:{there}", code="todo_not_found")
    ended = ("--claimed-by", "ann", "--evidence", "e", "--successor-todo-id", there)
    both.refused("todo", "complete", here, *ended, code="todo_not_found")
    gate = ("--role", "user", "--task-class", "user_gate", "--global-gate", "--unblocks-todo-id", there)
    both.refused("todo", "add", "--text", "?", "--goal-id", "one", *gate, code="todo_not_found")


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--role", "user"),
        ("--role", "user", "--task-class", "user_gate", "--global-gate"),
        ("--task-class", "continuous_monitor", "--poll-every", "1m"),
        ("--task-class", "blocker", "--reason", "known"),
    ],
    ids=" ".join,
)
def test_the_next_command_of_every_new_todo_runs_as_it_is_printed(both: Loopx, options: tuple[str, ...]) -> None:
    answer = both.ok("todo", "add", "--text", "x", "--goal-id", "two", *options)
    _, *argv = shlex.split(answer["receipt"]["next_command"])
    if argv[:2] == ["gate", "answer"]:  # a person is asked where no decision is given
        argv += ["--decision", "approve"]
    both.ok(*argv)
