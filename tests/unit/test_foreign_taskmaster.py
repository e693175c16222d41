"""Taskmaster: every shape of the file, ids of either type, sub-tasks by what a number means inside a task."""

from __future__ import annotations

import json
from typing import Any

import pytest

from loopx.core.errors import ImportInvalidError
from loopx.core.foreign.fields import instant_of
from loopx.core.foreign.record import AcceptanceBox, ForeignState
from loopx.core.foreign.taskmaster import read, wants
from tests.support.foreign.reading import by_id, folder, noted, one_file, only, rejected
from tests.support.foreign.taskmaster import TAGS, pretty, task, taskmaster_file

OPEN, DONE, DEFERRED = ForeignState.OPEN, ForeignState.DONE, ForeignState.DEFERRED


def of(*tasks: Any) -> Any:
    """The records of a file of these tasks, by id."""
    return by_id(one_file(read, pretty({"tasks": list(tasks)})))


def state_of(status: object, **more: Any) -> Any:
    return of(task(1, status=status, **more))["master:1"]


# --- shapes ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "document",
    [
        {"tasks": [task(1)], "meta": {"projectName": "x"}},
        {"tasks": [task(1)]},
        {"tasks": [task(1)], "metadata": {}},
        {"$schema": "x", "tasks": [task(1)]},
        {"master": {"tasks": [task(1)], "metadata": {"created": "x"}}},
        {"master": {"tasks": [task(1)], "version": 1, "tags": []}},
    ],
)
def test_a_task_has_the_same_id_in_every_shape(document: Any) -> None:
    assert list(by_id(one_file(read, pretty(document)))) == ["master:1"]


def test_each_tag_is_a_label_and_has_its_own_ids() -> None:
    document = {"master": {"tasks": [task(1)]}, "trial": {"tasks": [task("1"), task(2, dependencies=[1])]}}
    found = by_id(one_file(read, pretty(document)))
    assert {key: record.labels for key, record in found.items()} == {
        "master:1": ("master",),
        "trial:1": ("trial",),
        "trial:2": ("trial",),
    }
    assert found["trial:2"].depends_on == ("trial:1",)


def test_what_the_file_says_of_itself_is_noted() -> None:
    reading = one_file(read, pretty({"tasks": [task(1)], "meta": {"a": 1}, "master": {"tasks": [task(2)]}}))
    assert list(by_id(reading)) == ["master:1"]
    assert noted(reading) == ["not_work"]
    assert "'meta', 'master'" in reading.notes[0].message
    tagged = one_file(read, pretty({"$schema": "x", "a": {"tasks": []}}))
    assert "'$schema'" in tagged.notes[0].message


@pytest.mark.parametrize(
    ("data", "fact"),
    [
        (b"", "empty"),
        (b"{}", "the keys (none)"),
        (b"[]", "array"),
        (b'{"tasks": {"1": {}}}', "the keys tasks"),
        (b'{"master": {"tasks": [{"id": 1, "title": "cut o', "tasks.json, line 1: the text ends"),
        (b'<<<<<<< HEAD\n{"tasks": []}\n=======\n{"tasks": []}\n>>>>>>> x\n', "line 1: a merge conflict"),
        (b'{"tasks": []} {"tasks": []}', "two values"),
        (b'{"tasks": [], "tasks": []}', "'tasks' stands twice"),
        (b'{"a": {"tasks": [], "tasks": []}}', "'tasks' stands twice"),
        (b'[{"number": 1, "title": "a"}]', "GitHub"),
        (b'{"id": "bd-1", "issue_type": "task"}\n{"id": "bd-2"}', "beads"),
    ],
)
def test_a_file_without_tasks_is_refused_with_what_was_found(data: bytes, fact: str) -> None:
    with pytest.raises(ImportInvalidError) as refused:
        one_file(read, data, "tasks.json")
    assert fact in refused.value.message


def test_a_file_without_any_task_yet_is_right_and_empty() -> None:
    assert one_file(read, b'{"tasks": []}').records == ()


# --- ids and dependencies ----------------------------------------------------------------


def test_numbers_and_texts_are_the_same_ids() -> None:
    found = of(task("1"), task(2, dependencies=["1"]), task("3", dependencies=[1, "2", 2]))
    assert found["master:2"].depends_on == ("master:1",)
    assert found["master:3"].depends_on == ("master:1", "master:2")


def test_a_bare_number_inside_a_task_is_a_sibling_where_there_is_one() -> None:
    parts = [task(1), task(2, dependencies=[1, 3, 5]), task(3, dependencies=[9])]
    found = of(task(5, subtasks=parts), task(3))
    assert found["master:5.2"].depends_on == ("master:5.1", "master:5.3", "master:5")
    assert found["master:5.3"].depends_on == ("master:5.9",)  # neither: the import tells that it is not there
    assert found["master:5.2"].parent == "master:5"


def test_a_text_inside_a_task_is_a_whole_id_where_there_is_one() -> None:
    parts = [task("1"), task("5.2", dependencies=["3", "1", "5.1", "4.1"])]
    found = of(task("5", subtasks=parts), task(3), task(4))
    assert found["master:5.2"].depends_on == ("master:3", "master:5.1", "master:4.1")


def test_parts_of_parts_are_read_too() -> None:
    found = of(task(1, subtasks=[task(2, subtasks=[task(1, dependencies=[2]), task(2)])]))
    assert list(found) == ["master:1", "master:1.2", "master:1.2.1", "master:1.2.2"]
    assert found["master:1.2.1"].depends_on == ("master:1.2.2",)
    assert found["master:1.2.2"].parent == "master:1.2"


@pytest.mark.parametrize("odd", [[{}], [True], [1.5], {"a": 1}])
def test_a_dependency_that_is_no_id_is_kept_and_noted(odd: Any) -> None:
    reading = one_file(read, pretty({"tasks": [task(1, dependencies=odd)]}))
    record = only(reading)
    assert (record.depends_on, record.extra) == ((), {"dependencies": odd})
    assert noted(reading) == ["dependency_malformed"]


def test_a_single_dependency_needs_no_list() -> None:
    assert of(task(1), task(2, dependencies=1))["master:2"].depends_on == ("master:1",)


# --- fields ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ("pending", OPEN),
        ("in-progress", ForeignState.STARTED),
        ("In_Progress", ForeignState.STARTED),
        ("done", DONE),
        ("completed", DONE),
        ("review", OPEN),
        ("deferred", DEFERRED),
        ("cancelled", ForeignState.CANCELLED),
        ("blocked", DEFERRED),
        ("parked", OPEN),
        (3, OPEN),
        (None, OPEN),
    ],
)
def test_each_status_has_a_state(status: object, state: ForeignState) -> None:
    assert state_of(status).state is state


def test_work_in_review_asks_a_person() -> None:
    assert state_of("review").question == "Review of task 1: may it be closed? Write it"
    assert state_of("pending").question is None


def test_deferred_work_has_no_date_to_wake() -> None:
    assert state_of("deferred").resume_at is None


def test_blocked_work_with_a_dependency_is_open_work_that_waits() -> None:
    assert state_of("blocked", dependencies=[2]).state is OPEN


def test_a_missing_and_an_unknown_status_are_noted() -> None:
    bare = {"id": 1, "title": "a"}
    reading = one_file(read, pretty({"tasks": [bare, {"id": 2, "title": "b", "status": "parked"}]}))
    assert noted(reading) == ["status_missing", "status_unknown"]
    assert by_id(reading)["master:2"].extra == {"status": "parked"}


@pytest.mark.parametrize(("word", "priority"), [("high", 1), ("Medium", 2), ("low", 3), ("critical", 0), (None, None)])
def test_each_priority_has_a_number(word: object, priority: int | None) -> None:
    assert state_of("pending", priority=word).priority == priority


def test_an_unknown_priority_is_kept_and_noted() -> None:
    reading = one_file(read, pretty({"tasks": [task(1, priority="urgent")]}))
    assert (only(reading).priority, only(reading).extra) == (None, {"priority": "urgent"})
    assert noted(reading) == ["priority_unknown"]


def test_the_text_is_title_description_details_and_test_strategy() -> None:
    record = of(task(1, description="Why", details="How\r\nso", testStrategy="Run it"))["master:1"]
    assert record.text == "Write it\n\nWhy\n\n## Details\n\nHow\nso\n\n## Test strategy\n\nRun it"


def test_every_other_field_is_kept_as_it_is() -> None:
    others: dict[str, Any] = {
        "complexity": 7,
        "parentTaskId": 1,
        "isSubtask": False,
        "previousStatus": "x",
        "relevantFiles": [{"a": 1}],
    }
    record = of(task(1, subtasks=[task(1, **others, acceptanceCriteria=["one", "two"])]))["master:1.1"]
    assert record.extra == others
    assert record.acceptance == (AcceptanceBox("one"), AcceptanceBox("two"))


def test_fields_of_another_form_are_kept_rather_than_read() -> None:
    odd: dict[str, Any] = {"details": ["a"], "updatedAt": "soon", "acceptanceCriteria": {"a": 1}}
    record = of(task(1, **odd, subtasks="none"))["master:1"]
    assert (record.text, record.extra) == ("Write it", {**odd, "subtasks": "none"})


def test_the_date_of_the_last_change_is_read() -> None:
    record = state_of("pending", updatedAt="2025-08-03T10:00:00.123Z")
    assert record.updated_at == instant_of("2025-08-03T10:00:00.123Z")


# --- what cannot be taken ----------------------------------------------------------------


def test_tasks_that_cannot_be_taken_are_listed_with_their_lines_and_hold_up_no_other() -> None:
    data = b"""{"tasks": [
 {"id": 1, "title": "right"},
 {"title": "no id", "subtasks": [
   {"id": 1, "title": "inside"}]},
 {"id": 2, "id": 3, "title": "twice"},
 {"id": 4, "title": " "},
 5,
 {"id": 6, "title": "right", "subtasks": [
   {"id": 1, "title": "\\ud800"},
   {"id": 2, "title": "right"}, null]}
]}"""
    reading = one_file(read, data)
    assert rejected(reading) == [
        (3, "id_missing"),
        (4, "id_missing"),
        (5, "repeated_key"),
        (6, "text_empty"),
        (None, "no_object"),
        (9, "lone_surrogate"),
        (None, "no_object"),
    ]
    assert [record.source_id for record in reading.records] == ["master:1", "master:6", "master:6.2"]
    assert [(record.line) for record in reading.records] == [2, 8, 10]


def test_only_the_newest_place_of_a_folder_is_read() -> None:
    files = {
        ".taskmaster/tasks/tasks.json": pretty({"master": {"tasks": [task(1)]}}),
        "tasks/tasks.json": pretty({"tasks": [task(2)]}),
    }
    reading = folder(read, files)
    assert (list(by_id(reading)), noted(reading)) == (["master:1"], ["file_ignored"])
    assert only(reading).path == ".taskmaster/tasks/tasks.json"


def test_only_its_own_files_are_wanted_of_a_folder() -> None:
    assert wants(".taskmaster", is_folder=True)
    assert wants(".taskmaster/tasks", is_folder=True)
    assert wants(".taskmaster/tasks/tasks.json", is_folder=False)
    assert wants("tasks.json", is_folder=False)
    assert not wants(".taskmaster/reports", is_folder=True)
    assert not wants(".taskmaster/tasks/task_001.txt", is_folder=False)
    assert not wants(".taskmaster/state.json", is_folder=False)


def test_a_large_real_file_has_a_place_for_every_task() -> None:
    data = taskmaster_file()
    reading = one_file(read, data)
    assert len(data) > 1_500_000
    assert reading.rejections == ()
    parts = [record for record in reading.records if record.parent]
    assert (len(reading.records) - len(parts), len(parts)) == (182, 914)
    assert {record.labels[0] for record in reading.records} == set(TAGS)
    edges = [(record, target) for record in reading.records for target in record.depends_on]
    assert 850 < len(edges) < 1_000
    there = {record.source_id for record in reading.records}
    assert [(record.source_id, target) for record, target in edges if target not in there] == [("trial:1", "trial:16")]
    assert [json.loads(data)["master"]["tasks"][n]["id"] for n in (0, 9)] == [1, "10"]
