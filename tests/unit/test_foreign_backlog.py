"""Backlog.md: front matter in every spelling, folders that say more than a status, boxes that are criteria."""

from __future__ import annotations

from typing import Any

import pytest

from loopx.app.import_backlog import read, wants
from loopx.core.errors import ImportInvalidError
from loopx.core.foreign.backlog_task import task_id
from loopx.core.foreign.fields import instant_of
from loopx.core.foreign.record import AcceptanceBox, ForeignState
from tests.support.foreign.backlog import CONFIG, SIZES, backlog_files, task_text
from tests.support.foreign.reading import by_id, folder, noted, one_file, only, rejected

OPEN, DONE, DRAFT, CANCELLED = ForeignState.OPEN, ForeignState.DONE, ForeignState.DRAFT, ForeignState.CANCELLED
PLAIN = "id: BACK-1\ntitle: Write it\nstatus: To Do"


def of(front: str, body: str = "", place: str = "tasks/back-1 - Write-it.md", config: str = CONFIG) -> Any:
    """The record of one task file of a folder."""
    return only(folder(read, {place: task_text(front, body), "config.yml": config}))


def state_of(status: str, place: str = "tasks") -> Any:
    return of(f"id: BACK-1\ntitle: a\nstatus: {status}", place=f"{place}/back-1 - a.md")


# --- front matter ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ("'2025-07-12 14:33'", "2025-07-12T14:33:00Z"),
        ("'2025-06-03'", "2025-06-03T00:00:00Z"),
        ("2025-06-03", "2025-06-03T00:00:00Z"),
        ('"2025-06-03 09:05"', "2025-06-03T09:05:00Z"),
    ],
)
def test_the_four_spellings_of_a_date_are_read_as_utc(written: str, read_as: str) -> None:
    record = of(f"{PLAIN}\ncreated_date: {written}\nupdated_date: {written}")
    assert record.created_at == record.updated_at == instant_of(read_as)


def test_what_is_no_date_is_kept_and_noted() -> None:
    files = {"tasks/back-1 - a.md": task_text(f"{PLAIN}\ncreated_date: 12/07/2025")}
    reading = folder(read, files)
    assert (only(reading).created_at, only(reading).extra) == (None, {"created_date": "12/07/2025"})
    assert noted(reading) == ["date_unknown"]


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("title: Plain: no", None),  # a colon without quotes is no YAML
        ("title: 'It''s quoted: yes'", "It's quoted: yes"),
        ('title: "tab\\tand 🧵"', "tab\tand 🧵"),
        ("title: >-\n  folded over\n  two lines", "folded over two lines"),
        ("title: no", "no"),
        ("title: 0123", "0123"),
        ("title: 変換", "変換"),
    ],
)
def test_titles_are_read_in_every_style(title: str, text: str | None) -> None:
    front = f"id: BACK-1\n{title}\nstatus: To Do"
    if text is None:
        reading = folder(read, {"tasks/back-1 - a.md": task_text(front)})
        assert [(row.path, row.line, row.reason_code) for row in reading.rejections] == [
            ("tasks/back-1 - a.md", 3, "front_matter_invalid")
        ]
    else:
        assert of(front).text == text


@pytest.mark.parametrize("spelling", ["[]", "", "~"])
def test_an_empty_list_says_nothing(spelling: str) -> None:
    record = of(f"{PLAIN}\nlabels: {spelling}\nassignee: {spelling}\ndependencies: {spelling}\nreferences: {spelling}")
    assert (record.labels, record.assignee, record.depends_on, record.extra) == ((), None, (), None)


@pytest.mark.parametrize("spelling", ["['@ann', bob]", "\n  - '@ann'\n  - bob", "\n  - ann\n  - '@bob'"])
def test_the_first_of_several_people_is_on_it_and_all_are_kept(spelling: str) -> None:
    record = of(f"{PLAIN}\nassignee: {spelling}")
    assert record.assignee == "ann"
    assert len(record.extra["assignee"]) == 2


def test_one_person_needs_no_list() -> None:
    record = of(f"{PLAIN}\nassignee: '@ann'\nlabels: solo")
    assert (record.assignee, record.labels, record.extra) == ("ann", ("solo",), None)


def test_every_other_field_is_kept_as_it_is_spelled() -> None:
    more = "ordinal: 12000\ntype: bug\nreferences:\n  - https://example.com\nmodified_files: [a, b]\nplan: {a: [1, no]}"
    assert of(f"{PLAIN}\n{more}").extra == {
        "ordinal": "12000",
        "type": "bug",
        "references": ["https://example.com"],
        "modified_files": ["a", "b"],
        "plan": {"a": ["1", "no"]},
    }


@pytest.mark.parametrize(("word", "priority"), [("high", 1), ("Medium", 2), ("low", 3), ("", None)])
def test_each_priority_has_a_number(word: str, priority: int | None) -> None:
    assert of(f"{PLAIN}\npriority: {word}").priority == priority


def test_an_unknown_priority_is_kept_and_noted() -> None:
    reading = folder(read, {"tasks/back-1 - a.md": task_text(f"{PLAIN}\npriority: urgent")})
    assert (only(reading).priority, only(reading).extra) == (None, {"priority": "urgent"})
    assert noted(reading) == ["priority_unknown"]


# --- ids ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("BACK-9", "back-9"),
        ("task-001", "task-1"),
        ("TASK-1.02.3", "task-1.2.3"),
        ("7", "back-7"),
        ("7.1", "back-7.1"),
        (" back-3 ", "back-3"),
        ("DRAFT-2", "draft-2"),
        ("back", None),
        ("back-x", None),
        ("back-1-2", None),
        ("", None),
    ],
)
def test_an_id_has_one_spelling(written: str, found: str | None) -> None:
    assert task_id(written, "back") == found


def test_dependencies_and_parents_are_in_that_spelling() -> None:
    record = of(f"{PLAIN}\nparent_task_id: back-009\ndependencies:\n  - BACK-003\n  - '4'\n  - back-3")
    assert (record.depends_on, record.parent) == (("back-3", "back-4"), "back-9")


def test_a_draft_names_tasks_by_the_prefix_of_the_project() -> None:
    record = of("id: DRAFT-1\ntitle: a\nstatus: Draft\ndependencies: ['4']", place="drafts/draft-1 - a.md")
    assert (record.source_id, record.depends_on) == ("draft-1", ("back-4",))


def test_dependencies_may_stand_in_one_text_and_odd_ones_are_kept() -> None:
    files = {"tasks/back-1 - a.md": task_text(f"{PLAIN}\ndependencies: back-2, back-3, the rest")}
    reading = folder(read, files)
    assert only(reading).depends_on == ("back-2", "back-3")
    assert only(reading).extra == {"dependencies": "back-2, back-3, the rest"}
    assert noted(reading) == ["dependency_malformed"]


def test_the_id_in_the_file_counts_and_the_name_fills_what_is_missing() -> None:
    reading = folder(read, {"tasks/back-2 - a.md": task_text(PLAIN)})
    assert (only(reading).source_id, noted(reading)) == ("back-1", ["id_disagrees"])
    record = only(folder(read, {"tasks/Task-007 - Write-the-parser.md": task_text("status: To Do")}))
    assert (record.source_id, record.text) == ("task-7", "Write the parser\n\nWords.")


# --- folders and states ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "place", "state"),
    [
        ("To Do", "tasks", OPEN),
        ("To do", "tasks", OPEN),
        ("In Progress", "tasks", ForeignState.STARTED),
        ('"Done"', "tasks", DONE),
        ("Won't Do", "tasks", CANCELLED),
        ("Draft", "tasks", DRAFT),
        ("Review", "tasks", OPEN),
        ("Blocked", "tasks", ForeignState.DEFERRED),
        ("Done", "completed", DONE),
        ("To Do", "completed", DONE),
        ("Won't Do", "completed", CANCELLED),
        ("Done", "archive/tasks", DONE),
        ("To Do", "archive/tasks", CANCELLED),
        ("Draft", "archive/drafts", CANCELLED),
        ("Draft", "drafts", DRAFT),
        ("To Do", "drafts", DRAFT),
        ("Done", "drafts", DRAFT),
        ("Someday", "tasks", OPEN),
    ],
)
def test_folder_and_status_decide_together(status: str, place: str, state: ForeignState) -> None:
    assert state_of(status, place).state is state


@pytest.mark.parametrize(
    ("status", "place", "notes"),
    [
        ("To Do", "completed", ["folder_disagrees"]),
        ("Done", "drafts", ["folder_disagrees"]),
        ("Done", "completed", []),
        ("To Do", "drafts", []),
        ("Someday", "tasks", ["status_unknown"]),
        ("", "tasks", ["status_missing"]),
        ("Blocked", "tasks", ["blocked_by_nothing"]),
    ],
)
def test_a_disagreement_and_an_unknown_status_are_noted(status: str, place: str, notes: list[str]) -> None:
    text = task_text(f"id: BACK-1\ntitle: a\nstatus: {status}")
    reading = folder(read, {f"{place}/back-1 - a.md": text, "config.yml": CONFIG})
    assert noted(reading) == notes
    assert {note.path for note in reading.notes} <= {f"{place}/back-1 - a.md"}


def test_statuses_of_the_project_go_from_open_to_done() -> None:
    config = "statuses: [Idea, Cooking, Served]\ntask_prefix: dish\n"
    states = [
        of(f"id: 1\ntitle: a\nstatus: {name}", place="tasks/dish-1 - a.md", config=config)
        for name in ("Idea", "cooking", "Served")
    ]
    assert [record.state for record in states] == [OPEN, ForeignState.STARTED, DONE]
    assert {record.source_id for record in states} == {"dish-1"}


def test_work_in_review_asks_a_person() -> None:
    assert state_of("In Review").question == "Review of back-1: may it be closed? a"
    assert state_of("In Review", "completed").question is None


def test_a_configuration_that_cannot_be_read_is_noted() -> None:
    reading = folder(read, {"tasks/back-1 - a.md": task_text(PLAIN), "config.yml": "a: [\n"})
    assert (only(reading).state, noted(reading)) == (OPEN, ["config_unreadable"])


# --- the text ----------------------------------------------------------------------------

BODY = """\
## Description

<!-- SECTION:DESCRIPTION:BEGIN -->
Why it is.
<!-- SECTION:DESCRIPTION:END -->

## Acceptance Criteria
<!-- AC:BEGIN -->
- [x] #1 It works
- [ ] #2 It is fast,
  even in winter
<!-- AC:END -->

## Definition of Done
- [ ] Documented

## Implementation Notes

- [ ] a box of the notes
```md
- [ ] a box in code
## Acceptance Criteria
```
"""


def test_boxes_of_the_two_lists_are_criteria_and_all_else_is_text() -> None:
    record = of(PLAIN, BODY)
    assert record.acceptance == (
        AcceptanceBox("It works", is_ticked=True),
        AcceptanceBox("It is fast,\neven in winter"),
        AcceptanceBox("Documented"),
    )
    assert record.text == (
        "Write it\n\nWhy it is.\n\n## Implementation Notes\n\n- [ ] a box of the notes\n"
        "```md\n- [ ] a box in code\n## Acceptance Criteria\n```"
    )


def test_an_end_without_a_beginning_does_not_matter() -> None:
    record = of(PLAIN, "## Acceptance Criteria\n- [ ] one\n<!-- AC:END -->\n## Final Summary\nDone.\n")
    assert (record.acceptance, record.text) == ((AcceptanceBox("one"),), "Write it\n\n## Final Summary\nDone.")


def test_prose_among_the_criteria_stays_in_the_text() -> None:
    record = of(PLAIN, "## Acceptance Criteria\nAll of these:\n- [ ] one\n- no box\n```\n- [ ] code\n```\n")
    assert record.acceptance == (AcceptanceBox("one"),)
    assert record.text == "Write it\n\n## Acceptance Criteria\nAll of these:\n- no box\n```\n- [ ] code\n```"


def test_code_below_a_box_is_text_and_its_boxes_are_none() -> None:
    record = of(PLAIN, "## Acceptance Criteria\n- [ ] one\n  ```\n  - [ ] code\n  ```\n")
    assert record.acceptance == (AcceptanceBox("one"),)
    assert "- [ ] code" in record.text


# --- what cannot be taken ----------------------------------------------------------------


def test_files_that_cannot_be_taken_are_listed_and_hold_up_no_other() -> None:
    files: dict[str, str | bytes] = {
        "config.yml": CONFIG,
        "tasks/back-1 - a.md": task_text(PLAIN),
        "tasks/back-2 - b.md": "no front matter\n",
        "tasks/back-3 - c.md": "---\nid: BACK-3\ntitle: never ends\n",
        "tasks/back-4 - d.md": "---\nid: BACK-4\nid: BACK-5\n---\n",
        "tasks/back-5 - e.md": "---\nid: BACK-5\n<<<<<<< HEAD\ntitle: a\n=======\ntitle: b\n>>>>>>> x\n---\n",
        "tasks/back-6 - f.md": b"---\nid: BACK-6\n---\n\xff\n",
        "tasks/back-7 - g.md": "",
        "tasks/back-8 - h.md": "---\n- a list\n---\n",
        "tasks/notes.md": "---\ntitle: no id\n---\n",
        "tasks/readme.md": "# Nothing\n",
    }
    reading = folder(read, files)
    assert [(row.path.removeprefix("tasks/")[:6] if row.path else "", *row[:2]) for row in reading.rejections] == [
        ("back-2", 1, "front_matter_missing"),
        ("back-3", 1, "front_matter_unclosed"),
        ("back-4", 3, "front_matter_invalid"),
        *(("back-5", line, "conflict_marker" if line % 2 else "in_conflict") for line in (3, 4, 5, 6, 7)),
        ("back-6", 4, "not_utf8"),
        ("back-7", None, "file_unreadable"),
        ("back-8", 2, "front_matter_invalid"),
        ("notes.", 1, "id_missing"),
    ]
    assert ([record.source_id for record in reading.records], reading.ignored) == (["back-1"], 1)


def test_a_front_matter_without_an_end_in_sight_is_not_parsed() -> None:
    reading = folder(read, {"tasks/back-1 - a.md": task_text("a: " + "[" * 100_000)})
    assert rejected(reading) == [(2, "front_matter_too_long")]


@pytest.mark.parametrize(
    "front",
    [
        "a: " + "[" * 1_000,
        "a: &a [*a]",
        "&x a: 1\n" * 3,
        "a: &a [1,1,1,1,1,1,1,1]\n"
        + "\n".join(f"b{n}: &b{n} [{', '.join(['*a' if not n else f'*b{n - 1}'] * 9)}]" for n in range(9)),
        "a: !!python/object:os.system x",
        "? [complex]\n: key",
        "a: 1\n--- x\nb: 2",
        "\x07: bell",
        'a: "unclosed',
    ],
)
def test_hostile_front_matter_is_rejected_with_its_line(front: str) -> None:
    reading = folder(read, {"tasks/back-1 - a.md": task_text(front)})
    ((line, code),) = rejected(reading)
    assert code == "front_matter_invalid"
    assert line is not None
    assert 2 <= line <= 2 + front.count("\n") + 1


def test_windows_ends_and_a_mark_at_the_beginning_do_not_matter() -> None:
    data = b"\xef\xbb\xbf" + task_text(PLAIN, "## Description\n\nWhy\n").replace("\n", "\r\n").encode()
    assert only(folder(read, {"tasks/back-1 - a.md": data})).text == "Write it\n\nWhy"


def test_one_file_is_a_task_by_itself() -> None:
    record = only(one_file(read, task_text(PLAIN).encode(), "back-1 - a.md"))
    assert (record.state, record.path) == (OPEN, None)


@pytest.mark.parametrize(
    ("files", "found"),
    [({"readme.md": "# Hello\n\n- [ ] a\n"}, "checklist"), ({"config.yml": CONFIG}, "text"), ({}, "no file")],
)
def test_a_folder_without_a_task_is_refused_with_what_was_found(files: dict[str, str], found: str) -> None:
    with pytest.raises(ImportInvalidError) as refused:
        folder(read, files)
    assert found in refused.value.message


def test_a_configuration_alone_is_not_sent_to_the_same_reader_again() -> None:
    with pytest.raises(ImportInvalidError) as refused:
        folder(read, {"config.yml": "---\nproject_name: x\n"})
    assert "--from" not in (refused.value.hint or "")


@pytest.mark.parametrize("root", ["", "backlog/", ".backlog/"])
def test_only_its_own_files_are_wanted_of_a_folder(root: str) -> None:
    for name in ("tasks", "completed", "drafts", "archive", "archive/tasks"):
        assert wants(root + name, is_folder=True)
        assert wants(f"{root}{name}/back-1 - a.md", is_folder=False)
    assert wants(f"{root}config.yml", is_folder=False)
    assert not wants(f"{root}docs", is_folder=True)
    assert not wants(f"{root}milestones", is_folder=True)
    assert not wants(f"{root}docs/a.md", is_folder=False)
    assert not wants(f"{root}tasks/a.txt", is_folder=False)


def test_a_backlog_below_the_named_folder_is_the_only_one() -> None:
    files = {"backlog/tasks/back-1 - a.md": task_text(PLAIN), "tasks/back-2 - b.md": task_text("id: BACK-2\ntitle: b")}
    assert list(by_id(folder(read, files))) == ["back-1"]


def test_a_large_real_folder_has_a_place_for_every_file() -> None:
    files = backlog_files()
    reading = folder(read, files)
    assert len(files) == 679  # 678 and the configuration
    assert (len(reading.records), reading.ignored, reading.rejections) == (sum(SIZES.values()), 4, ())
    assert len(reading.records) - len({record.source_id for record in reading.records}) == 10
    assert sum(len(record.acceptance) for record in reading.records) == 5 * 674
