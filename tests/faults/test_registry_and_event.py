"""A change of the registry and its event: none is lost to a race, none to a failure between the two."""

from __future__ import annotations

import pytest

from loopx.core.errors import DiskFullError
from tests.support.cli import Loopx

NAMES = tuple(f"agent-{number}" for number in range(6))


def agents(lab: Loopx) -> list[str]:
    return [row["agent_id"] for row in lab.ok("agent", "list")["agents"]]


def test_of_many_edits_at_once_none_is_lost(loopx: Loopx) -> None:
    loopx.ok("init", "--goal-id", "lab", "--objective", "Find out")
    running = [loopx.start("agent", "register", "--agent-id", name) for name in NAMES]
    answers = [process.answer() for process in running]
    assert [answer.code for answer in answers] == [0] * len(NAMES), [str(answer) for answer in answers]
    assert sorted(agents(loopx)) == sorted(NAMES)
    assert loopx.ok("log", "--action", "agent_registered")["total"] == len(NAMES)
    assert loopx.ok("log", "--action", "registry_edited")["total"] == 0


def test_of_many_that_do_the_same_one_does_it(loopx: Loopx) -> None:
    loopx.ok("init", "--goal-id", "lab", "--objective", "Find out")
    running = [loopx.start("goal", "pause") for _ in NAMES]
    answers = [process.answer() for process in running]
    assert sorted(answer.code for answer in answers) == [0, 4, 4, 4, 4, 4]
    assert {answer.error["code"] for answer in answers if answer.code} == {"already_done"}


def test_a_failure_between_file_and_event_is_recorded_by_the_next_write(
    inside: Loopx, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside.ok("init", "--goal-id", "lab", "--objective", "Find out", "--agent", "ann")

    def full(*_arguments: object) -> None:
        raise DiskFullError("the disk took no more bytes")

    with monkeypatch.context() as patch:
        patch.setattr("loopx.store.transaction.append_event", full)
        inside.refused("agent", "register", "--agent-id", "bob", code="disk_full")
    assert agents(inside) == ["ann", "bob"], "the file counts, and reads follow it at once"
    inside.ok("todo", "add", "--text", "Work")
    (event,) = inside.ok("log", "--action", "registry_edited")["events"]
    before, after = event["changes"]["registry"]["sha256"]["sha256"]
    assert before != after
    assert inside.ok("log", "--action", "agent_registered")["total"] == 0
