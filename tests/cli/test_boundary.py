"""Work outside the goal's boundary is a repair, never delivered, whatever the door (W8.4)."""

from __future__ import annotations

import shlex

import pytest

from tests.support.cli import Loopx


@pytest.fixture
def lab(inside: Loopx) -> Loopx:
    inside.ok("init", "--goal-id", "lab", "--objective", "Stay inside", "--agent", "agent-a")
    inside.ok("goal", "update", "--write-scope", "docs/**", "--repository", "git:github.com/example/project")
    return inside


def outside(lab: Loopx, *where: str) -> str:
    todo_id = lab.ok("todo", "add", "--text", "Write it", *where)["todo"]["todo_id"]
    assert isinstance(todo_id, str)
    return todo_id


@pytest.mark.parametrize(
    "where", [("--required-write-scope", "src/**"), ("--task-repository", "git:github.com/example/other")]
)
def test_no_door_starts_or_finishes_it(lab: Loopx, where: tuple[str, ...]) -> None:
    todo = outside(lab, *where)
    packet = lab.ok("quota", "should-run", "--agent-id", "agent-a")
    assert packet["interaction_contract"]["mode"] == "control_plane_self_repair"
    assert packet["repair"]["errors"][0]["reason_code"] == "outside_goal_boundary"
    assert lab.ok("todo", "claim-next", "--agent-id", "agent-a")["claim"] is None
    lab.refused("task-lease", "acquire", todo, "--agent-id", "agent-a", code="outside_goal_boundary", exit_code=3)
    finish = ("todo", "complete", todo, "--claimed-by", "agent-a", "--evidence", "done")
    lab.refused(*finish, code="outside_goal_boundary")


def test_the_printed_repair_brings_a_write_scope_back_inside(lab: Loopx) -> None:
    outside(lab, "--required-write-scope", "src/**", "--required-write-scope", "docs/guide/**")
    packet = lab.ok("quota", "should-run", "--agent-id", "agent-a")
    lab.ok(*shlex.split(packet["repair"]["next_commands"][0])[1:])
    after = lab.ok("quota", "should-run", "--agent-id", "agent-a")
    assert after["interaction_contract"]["mode"] == "bounded_delivery"


def test_an_agent_cannot_widen_the_boundary(lab: Loopx) -> None:
    lab.refused("goal", "update", "--write-scope", "src/**", "--agent-id", "agent-a", code="user_decision_required")
