"""`init`: a state that is whole from its first instant on, or none at all."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from loopx.core.layout import STATE_FOLDER
from tests.support.cli import Loopx

FIRST_GOAL = ("--goal-id", "lab", "--objective", "Find out", "--acceptance", "It is known", "--agent", "ann")


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_init_makes_the_goal_its_criteria_and_its_agents(inside: Loopx) -> None:
    document = inside.ok("init", *FIRST_GOAL, "--agent", "bob")
    (goal,) = document["goals"]
    assert (goal["goal_id"], goal["objective"], goal["state"]) == ("lab", "Find out", "active")
    assert goal["acceptance"] == [{"id": "A1", "text": "It is known", "met": False}]
    assert [agent["agent_id"] for agent in goal["agents"]] == ["ann", "bob"]
    assert inside.ok("goal", "show")["goal"] == goal


def test_its_event_is_the_first_of_the_history(inside: Loopx) -> None:
    receipt = inside.ok("init", *FIRST_GOAL, "--reason", "a new start")["receipt"]
    assert (receipt["event"], receipt["sequence"]) == ("project_initialised", 1)
    (event,) = inside.ok("log")["events"]
    assert (event["action"], event["goal_id"], event["reason"]) == ("project_initialised", "lab", "a new start")


def test_a_project_without_a_goal_is_whole(inside: Loopx) -> None:
    assert inside.ok("init")["goals"] == []
    assert inside.ok("goal", "list")["total"] == 0
    assert inside.ok("status")["goals"] == []
    inside.refused("todo", "add", "--text", "work", code="goal_not_found", exit_code=7)


def test_only_the_registry_is_for_git(inside: Loopx) -> None:
    inside.ok("init")
    rules = (inside.root / STATE_FOLDER / ".gitignore").read_text(encoding="utf-8").split("\n")
    assert rules[-4:] == ["*", "!.gitignore", "!registry.yaml", ""]


def test_a_second_init_changes_nothing(inside: Loopx) -> None:
    inside.ok("init", *FIRST_GOAL)
    registry = (inside.root / STATE_FOLDER / "registry.yaml").read_bytes()
    inside.refused("init", code="already_initialised", exit_code=3)
    assert (inside.root / STATE_FOLDER / "registry.yaml").read_bytes() == registry
    assert inside.ok("log")["total"] == 1


@pytest.mark.parametrize("kind", ["a file", "a folder with something in it", "a link to nowhere"])
def test_whatever_is_in_the_place_is_left_alone(inside: Loopx, kind: str) -> None:
    place = inside.root / STATE_FOLDER
    if kind == "a file":
        place.write_text("mine", encoding="utf-8")
    elif kind == "a link to nowhere":
        place.symlink_to(inside.root / "nowhere")
    else:
        place.mkdir()
        (place / "mine").write_text("mine", encoding="utf-8")
    before = os.lstat(place).st_ino
    inside.refused("init", code="already_initialised")
    assert os.lstat(place).st_ino == before
    assert names(inside.root) == {STATE_FOLDER}


def test_an_empty_folder_gives_way(inside: Loopx) -> None:
    (inside.root / STATE_FOLDER).mkdir()
    inside.ok("init", *FIRST_GOAL)
    assert inside.ok("goal", "list")["total"] == 1


def test_a_retry_of_the_same_operation_gets_the_first_answer(inside: Loopx) -> None:
    first = inside.ok("init", *FIRST_GOAL, "--operation-id", "start")
    again = inside.ok("init", *FIRST_GOAL, "--operation-id", "start")
    assert again["receipt"].pop("replayed") is True
    assert first["receipt"].pop("replayed") is False
    assert again == first
    inside.refused("init", "--operation-id", "start", code="operation_conflict", exit_code=4)
    inside.refused("init", *FIRST_GOAL, "--operation-id", "other", code="already_initialised")


def test_a_dry_run_leaves_nothing(inside: Loopx) -> None:
    document = inside.ok("init", *FIRST_GOAL, "--dry-run")
    assert document["dry_run"] is True
    assert document["goals"][0]["goal_id"] == "lab"
    assert names(inside.root) == set()


@pytest.mark.parametrize(
    "argv",
    [
        ("--goal-id", "lab"),
        ("--objective", "Find out"),
        ("--agent", "ann"),
        ("--goal-id", "-lab", "--objective", "Find out"),
        ("--goal-id", "lab", "--objective", "  "),
        ("--goal-id", "lab", "--objective", "Find out", "--agent", "a b"),
    ],
)
def test_a_half_said_goal_leaves_nothing(inside: Loopx, argv: tuple[str, ...]) -> None:
    inside.refused("init", *argv, code="usage", exit_code=2)
    assert names(inside.root) == set()


def test_an_agent_that_is_named_twice_is_one(inside: Loopx) -> None:
    (goal,) = inside.ok("init", *FIRST_GOAL, "--agent", " ann ")["goals"]
    assert [agent["agent_id"] for agent in goal["agents"]] == ["ann"]


def test_an_agent_starts_a_project_that_it_works_on_itself(inside: Loopx) -> None:
    stranger = {"LOOPX_AGENT_ID": "zoe"}
    inside.refused("init", *FIRST_GOAL, env=stranger, code="agent_not_registered", exit_code=7)
    assert names(inside.root) == set()
    inside.ok("init", *FIRST_GOAL, env={"LOOPX_AGENT_ID": "ann"})


def test_a_teammate_starts_no_project(inside: Loopx) -> None:
    inside.refused("init", *FIRST_GOAL, env={"LOOPX_ROLE": "teammate"}, code="role_not_allowed", exit_code=3)
    assert names(inside.root) == set()


def test_a_full_disk_leaves_nothing(inside: Loopx, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_names: str) -> None:
        raise OSError(errno.ENOSPC, "no space")

    monkeypatch.setattr(os, "rename", full)
    inside.refused("init", *FIRST_GOAL, code="disk_full", exit_code=6)
    assert names(inside.root) == set()


def test_a_named_folder_that_does_not_exist_is_not_made(inside: Loopx) -> None:
    inside.refused("init", "--project", "no/such", code="project_not_found", exit_code=7)
    assert names(inside.root) == set()


def test_of_many_at_once_exactly_one_makes_it(loopx: Loopx) -> None:
    running = [loopx.start("init", *FIRST_GOAL) for _ in range(6)]
    answers = [process.answer() for process in running]
    assert sorted(answer.code for answer in answers) == [0, 3, 3, 3, 3, 3], [str(a) for a in answers]
    assert {a.error["code"] for a in answers if a.code} == {"already_initialised"}
    assert names(loopx.root) == {STATE_FOLDER}
    assert loopx.ok("log")["total"] == 1
