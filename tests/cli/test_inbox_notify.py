"""`inbox --notify`: a person is told of each new item once, and never told wrongly that they were."""

from __future__ import annotations

import json

import pytest

from tests.support.cli import Loopx
from tests.support.lab import add, add_gate, start_lab

TELL = "sh -c 'cat >> told; echo >> told'"


@pytest.fixture
def lab(inside: Loopx) -> Loopx:
    return start_lab(inside)


def told(lab: Loopx) -> list[str]:
    path = lab.root / "told"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [json.loads(line)["todo_id"] for line in lines if line]


def test_each_item_is_told_once_with_the_item_as_json(lab: Loopx) -> None:
    gate = add_gate(lab, "direction:action:way", "--global-gate")
    add(lab, "work of an agent")
    assert lab.ok("inbox", "--notify", TELL)["notified"] == [gate]
    assert lab.ok("inbox", "--notify", TELL)["notified"] == []
    action = add(lab, 'sign it "$(touch x)" `y`', "--role", "user")
    assert lab.ok("inbox", "--notify", TELL)["notified"] == [action]
    assert told(lab) == [gate, action]
    assert not (lab.root / "x").exists()


@pytest.mark.parametrize(
    ("line", "fault"), [("false", "ended with 1"), ("no-such-program-anywhere", "cannot be started")]
)
def test_what_failed_is_said_and_tried_again(lab: Loopx, line: str, fault: str) -> None:
    gate = add_gate(lab, "direction:action:way", "--global-gate")
    document = lab.ok("inbox", "--notify", line)
    assert document["notified"] == []
    assert fault in document["warnings"][-1]
    assert lab.ok("inbox", "--notify", TELL)["notified"] == [gate]


def test_one_failure_does_not_keep_the_others_from_being_told(lab: Loopx) -> None:
    gates = [add_gate(lab, f"direction:action:way{number}", "--global-gate") for number in range(3)]
    script = f"sh -c 'grep -qv {gates[1]}'"
    assert lab.ok("inbox", "--notify", script)["notified"] == [gates[0], gates[2]]


@pytest.mark.parametrize("line", ["", "  ", "sh -c 'half"])
def test_a_line_that_is_no_command_is_a_usage_error(lab: Loopx, line: str) -> None:
    lab.refused("inbox", "--notify", line, code="usage", exit_code=2)


def test_nothing_new_writes_nothing(lab: Loopx) -> None:
    before = lab.ok("log")["events"]
    assert lab.ok("inbox", "--notify", TELL)["notified"] == []
    assert lab.ok("log")["events"] == before
