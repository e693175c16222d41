"""`import --from loopx-legacy` and `--from claude`: state files of old, and folders that another program writes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from loopx.core.instant import HOUR
from tests.support.cli import Loopx
from tests.support.fakes import FakeClock
from tests.support.foreign.lab import counts, put, start, take, todos

STATE = """\
---
status: active
objective: "Know it"
updated_at: 2026-08-13T16:42:20+08:00
---
## Objective
- [ ] not a todo here

## User Todo / Owner Review Reading Queue
- [ ] May the interface change?
  <!-- loopx:todo todo_id=todo_00000000000a status=open task_class=user_gate decision_scope=direction:action:api blocks_agent=ann -->

## Agent Todo
- [ ] [P1] Write the parser
  for every file
  <!-- loopx:todo todo_id=todo_00000000000b status=open task_class=advancement_task action_kind=write required_write_scopes=src/**%2Ctests/** required_capabilities=shell excluded_agents=bob updated_at=2026-08-13T16:42:20%2B08:00 colour=green -->
- [x] Read the seeds
  <!-- loopx:todo todo_id=todo_00000000000c status=done evidence=all%20read -->
- [ ] Wait for the parser
  <!-- loopx:todo todo_id=todo_00000000000d status=deferred resume_when=todo_done:todo_00000000000b -->
- [ ] 没有注释的一行
- [-] Given up
  <!-- loopx:todo todo_id=todo_00000000000e status=superseded -->

```text
- [ ] an example in a fence
```
"""  # noqa: E501 - a comment of old is one line
REGISTRY = {
    "schema_version": "0.1",
    "common_runtime_root": "/home/somebody/运行",
    "goals": [
        {"id": "lab", "status": "active", "coordination": {"registered_agents": ["ann"], "write_scope": ["src/**"]}}
    ],
}


# --- LoopX of old ------------------------------------------------------------------------


def test_the_todos_of_a_state_file_keep_what_their_comments_say(inside: Loopx) -> None:
    put(start(inside), "ACTIVE_GOAL_STATE.md", STATE)
    document = take(inside, "loopx-legacy", "ACTIVE_GOAL_STATE.md")
    found = todos(inside)
    assert counts(document)["added"] == 6
    assert document["counts"]["ignored"] == 2, "a box in another section, and one in a fence"
    gate, parser = found["May the interface change?"], found["[P1] Write the parser"]
    assert (gate["role"], gate["task_class"], gate["decision_scope"]) == ("user", "user_gate", "direction:action:api")
    assert parser["text"] == "[P1] Write the parser\nfor every file"
    assert parser["required_write_scopes"] == ["src/**", "tests/**"]
    assert (parser["required_capabilities"], parser["excluded_agents"]) == (["shell"], ["bob"])
    assert (parser["action_kind"], parser["priority"]) == ("write", "P1")
    assert found["Wait for the parser"]["blocked_by"] == [parser["todo_id"]]
    assert (found["Read the seeds"]["status"], found["Read the seeds"]["evidence"]) == ("done", "all read")
    assert found["Given up"]["closure"] == "superseded"
    assert "没有注释的一行" in found


def test_a_second_import_is_an_update(inside: Loopx, clock: FakeClock) -> None:
    put(start(inside), "ACTIVE_GOAL_STATE.md", STATE)
    take(inside, "loopx-legacy", "ACTIVE_GOAL_STATE.md")
    assert set(counts(take(inside, "loopx-legacy", "ACTIVE_GOAL_STATE.md"))) <= {"unchanged", "ignored"}
    clock.advance(HOUR)
    put(inside, "ACTIVE_GOAL_STATE.md", STATE.replace("Write the parser", "Write the whole parser"))
    assert counts(take(inside, "loopx-legacy", "ACTIVE_GOAL_STATE.md"))["updated"] == 1
    assert "[P1] Write the whole parser" in todos(inside)


def test_a_folder_is_read_by_its_registry_and_its_state(inside: Loopx) -> None:
    start(inside)
    put(inside, "old/.loopx/registry.json", json.dumps(REGISTRY, ensure_ascii=False))
    put(inside, "old/.codex/goals/lab/ACTIVE_GOAL_STATE.md", STATE)
    put(inside, "old/.loopx/wiki/page.md", "- [ ] of another program\n")
    document = take(inside, "loopx-legacy", "old")
    assert counts(document)["added"] == 6
    assert any("agents ann" in note["message"] for note in document["notes"])


@pytest.mark.parametrize("text", ["", "[]", '{"skills": 3}', "{ half"])
def test_a_registry_of_another_program_is_told_and_refused(inside: Loopx, text: str) -> None:
    start(inside)
    put(inside, "old/.loopx/registry.json", text)
    inside.refused("import", "--from", "loopx-legacy", "old", exit_code=3)
    assert todos(inside) == {}


def test_several_goals_need_a_name(inside: Loopx) -> None:
    start(inside)
    for goal in ("one", "two"):
        put(inside, f"old/.codex/goals/{goal}/ACTIVE_GOAL_STATE.md", STATE)
    refusal = inside.refused("import", "--from", "loopx-legacy", "old", code="import_invalid")
    assert "one, two" in refusal.error["message"]


# --- Claude Code -------------------------------------------------------------------------


def task(number: int, subject: str, **more: Any) -> str:
    return json.dumps({"id": str(number), "subject": subject, "description": "", "status": "pending", **more})


def put_list(lab: Loopx, folder: str = "tasks/list-a") -> None:
    put(lab, f"{folder}/1.json", task(1, "Write it", status="completed", owner="ann"))
    put(lab, f"{folder}/2.json", task(2, "Test it", blockedBy=["1"], activeForm="Testing it"))
    put(lab, f"{folder}/10.json", task(10, "Ship it", blockedBy=[2]))
    put(lab, f"{folder}/3.json", task(3, "Praise it", blocks=["10"], status="in_progress"))
    put(lab, f"{folder}/4.json", task(4, "Gone", status="deleted"))
    put(lab, f"{folder}/.lock", "")
    put(lab, f"{folder}/.highwatermark", "10")


def test_a_list_becomes_todos_that_wait_as_they_did(inside: Loopx) -> None:
    put_list(start(inside))
    document = take(inside, "claude", "tasks/list-a")
    found = todos(inside)
    assert counts(document)["added"] == 4
    assert found["Write it"]["status"] == "done"
    assert found["Test it"]["blocked_by"] == [found["Write it"]["todo_id"]]
    assert set(found["Ship it"]["blocked_by"]) == {found["Test it"]["todo_id"], found["Praise it"]["todo_id"]}
    assert "Gone" not in found
    assert [todo["sequence"] for todo in found.values()] == sorted(todo["sequence"] for todo in found.values())


def test_equal_numbers_of_two_lists_are_two_tasks(inside: Loopx) -> None:
    put_list(start(inside))
    put(inside, "tasks/list-b/1.json", task(1, "Something else"))
    take(inside, "claude", "tasks")
    assert len(todos(inside)) == 5


def test_a_half_written_file_is_listed_by_its_path_and_nothing_is_written(inside: Loopx) -> None:
    put_list(start(inside))
    put(inside, "tasks/list-a/11.json", '{"id": "11", "subj')
    refusal = inside.refused("import", "--from", "claude", "tasks/list-a", code="import_invalid")
    assert refusal.error["details"]["rejected"][0]["path"] == "11.json"
    assert todos(inside) == {}
    assert counts(take(inside, "claude", "tasks/list-a", "--skip-invalid"))["added"] == 4


def test_the_folder_is_only_read(inside: Loopx) -> None:
    put_list(start(inside))
    folder = inside.root / "tasks" / "list-a"
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    take(inside, "claude", "tasks/list-a")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_what_was_finished_there_is_finished_here_and_held_work_is_not_touched(inside: Loopx) -> None:
    put_list(start(inside))
    take(inside, "claude", "tasks/list-a")
    held = todos(inside)["Praise it"]["todo_id"]
    inside.ok("todo", "claim", held, "--claimed-by", "bob")
    put(inside, "tasks/list-a/2.json", task(2, "Test it", blockedBy=["1"], status="completed"))
    put(inside, "tasks/list-a/3.json", task(3, "Praise it more", blocks=["10"], status="in_progress"))
    found = counts(take(inside, "claude", "tasks/list-a"))
    assert (found["completed"], found["kept"]) == (1, 1)
    assert todos(inside)["Praise it"]["claimed_by"] == "bob"
