"""Issues of GitHub: both dialects are one record, pull requests are none, and texts say who waits for whom."""

from __future__ import annotations

import time
from typing import Any

import pytest

from loopx.core.errors import ImportInvalidError, UsageError
from loopx.core.foreign.fields import instant_of
from loopx.core.foreign.github import read, wants
from loopx.core.foreign.github_body import body_facts
from loopx.core.foreign.record import AcceptanceBox, ForeignState, Link
from tests.support.foreign.github import REPOSITORY, as_json, gh_issue, rest_file, rest_issue
from tests.support.foreign.reading import by_id, noted, one_file, only, rejected

OPEN, DONE, CANCELLED = ForeignState.OPEN, ForeignState.DONE, ForeignState.CANCELLED


def key(number: int) -> str:
    return f"{REPOSITORY}#{number}"


def waits(body: str) -> list[str]:
    """What a text waits for, without the name of its own repository."""
    return [target.removeprefix(REPOSITORY) for target in body_facts(body, REPOSITORY).waits_for]


# --- the two dialects --------------------------------------------------------------------


def test_both_dialects_give_the_same_record() -> None:
    body = "Why\r\n- [ ] one\r\nblocked by #2"
    labels, people = [{"id": 1, "name": "bug", "color": "f00"}, {"name": "P1"}], [{"login": "ann"}]
    dates = ("2025-03-01T10:00:00Z", "2025-03-02T10:00:00Z", "2025-03-03T10:00:00Z")
    rest = only(
        one_file(
            read,
            as_json(
                rest_issue(1, body=body, labels=labels, assignees=people, state="closed", closed_at=dates[2], user=None)
            ),
        )
    )
    gh = only(
        one_file(
            read,
            as_json(gh_issue(1, body=body, labels=labels, assignees=people, state="CLOSED", closedAt=dates[2])),
        )
    )
    assert rest == gh
    assert (rest.source_id, rest.state, rest.priority, rest.labels) == (key(1), DONE, 1, ("bug", "P1"))
    assert rest.text == "Write it\n\nWhy\n- [ ] one\nblocked by #2"
    assert (rest.created_at, rest.updated_at, rest.closed_at) == tuple(map(instant_of, dates))
    assert (rest.assignee, rest.depends_on, rest.acceptance) == ("ann", (key(2),), (AcceptanceBox("one"),))
    assert rest.extra == {"url": f"https://github.com/{REPOSITORY}/issues/1"}


@pytest.mark.parametrize(
    ("fields", "state"),
    [
        ({"state": "open"}, OPEN),
        ({"state": "OPEN", "state_reason": "reopened"}, OPEN),
        ({"state": "closed"}, DONE),
        ({"state": "closed", "state_reason": "completed"}, DONE),
        ({"state": "CLOSED", "stateReason": "NOT_PLANNED"}, CANCELLED),
        ({"state": "closed", "state_reason": "duplicate"}, CANCELLED),
        ({"state": "closed", "state_reason": "moved"}, DONE),
        ({"state": "locked"}, OPEN),
        ({"state": None}, OPEN),
    ],
)
def test_each_state_and_reason_has_a_state(fields: dict[str, Any], state: ForeignState) -> None:
    assert only(one_file(read, as_json({**rest_issue(1), **fields}))).state is state


def test_unknown_states_and_reasons_are_kept_and_noted() -> None:
    reading = one_file(read, as_json(rest_issue(1, state="odd"), rest_issue(2, state="closed", state_reason="moved")))
    assert noted(reading) == ["state_unknown", "state_reason_unknown"]
    one, two = reading.records
    assert one.extra is not None
    assert two.extra is not None
    assert (one.extra["state"], two.extra["state_reason"]) == ("odd", "moved")


@pytest.mark.parametrize(
    "mark",
    [
        {"pull_request": {"url": "x"}},
        {"html_url": f"https://github.com/{REPOSITORY}/pull/1"},
        {"state": "MERGED"},
        {"isPullRequest": True},
    ],
)
def test_pull_requests_are_counted_and_no_work(mark: dict[str, Any]) -> None:
    reading = one_file(read, as_json(rest_issue(1, **mark), rest_issue(2)))
    assert (list(by_id(reading)), reading.ignored) == ([key(2)], 1)


def test_a_null_mark_of_a_pull_request_is_none() -> None:
    assert only(one_file(read, as_json(rest_issue(1, pull_request=None)))).source_id == key(1)


def test_people_milestones_and_types_are_kept_by_their_names() -> None:
    more: dict[str, Any] = {
        "user": {"login": "bob", "id": 2},
        "milestone": {"title": "1.0", "number": 3},
        "type": {"name": "Bug"},
        "assignees": [{"login": "ann"}, {"login": "bob"}],
        "comments": 4,
        "draft": False,
        "reactions": {"+1": 3},
    }
    assert only(one_file(read, as_json(rest_issue(1, **more)))).extra == {
        "user": "bob",
        "milestone": "1.0",
        "type": "Bug",
        "assignees": ["ann", "bob"],
        "comments": 4,
        "draft": False,
        "url": f"https://github.com/{REPOSITORY}/issues/1",
    }


@pytest.mark.parametrize(
    ("labels", "priority"),
    [(["P0"], 0), (["bug", "priority: p3"], 3), (["p2", "P1"], 1), (["P5", "px"], None), ([], None)],
)
def test_a_label_may_say_the_priority(labels: list[str], priority: int | None) -> None:
    assert only(one_file(read, as_json(gh_issue(1, labels=[{"name": name} for name in labels])))).priority == priority


def test_labels_may_be_plain_texts_and_odd_ones_are_kept() -> None:
    record = only(one_file(read, as_json(rest_issue(1, labels=["a", {"name": "b"}, 3]))))
    assert record.labels == ("a", "b")
    assert record.extra is not None
    assert record.extra["labels"] == ["a", {"name": "b"}, 3]


# --- whose issues they are ---------------------------------------------------------------


@pytest.mark.parametrize(
    "address",
    [
        {"html_url": "https://github.com/Owner/Repo/issues/7"},
        {"url": "https://api.github.com/repos/owner/repo/issues/7"},
        {"url": "https://git.example.com/api/v3/repos/owner/repo/issues/7"},
        {"repository_url": "https://api.github.com/repos/owner/repo"},
        {"repository": {"nameWithOwner": "owner/repo"}},
    ],
)
def test_the_repository_comes_from_any_address(address: dict[str, Any]) -> None:
    row = {"number": 7, "title": "a", "state": "open", **address}
    assert only(one_file(read, as_json(row))).source_id == "owner/repo#7"


def test_equal_numbers_of_two_repositories_are_two_records() -> None:
    rows = [gh_issue(1), {**gh_issue(1), "url": "https://github.com/other/repo/issues/1"}]
    assert list(by_id(one_file(read, as_json(*rows)))) == [key(1), "other/repo#1"]


def test_a_file_that_does_not_say_whose_issues_they_are_needs_to_be_told() -> None:
    row = {"number": 7, "title": "a", "state": "open", "body": "blocked by #2"}
    with pytest.raises(ImportInvalidError) as refused:
        one_file(read, as_json(row))
    assert "--repository" in (refused.value.hint or "")
    record = only(one_file(read, as_json(row), repository="Owner/Repo"))
    assert (record.source_id, record.depends_on) == ("owner/repo#7", ("owner/repo#2",))


@pytest.mark.parametrize("named", ["repo", "a/b/c", "a b/c", "/", ""])
def test_a_repository_is_named_by_owner_and_name(named: str) -> None:
    with pytest.raises(UsageError):
        one_file(read, as_json(gh_issue(1)), repository=named)


# --- what texts say ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("blocked by #12", ["#12"]),
        ("Blocked By: #12, #13 and #14.", ["#12", "#13", "#14"]),
        ("This is **blocked by** #12", ["#12"]),
        ("depends on #1\r\nDepends on #2", ["#1", "#2"]),
        ("blocked on #0012 & #12", ["#12"]),
        ("blocked by other/repo#3", ["other/repo#3"]),
        ("blocked by https://github.com/Other/Repo/issues/3 now", ["other/repo#3"]),
        ("blocked by [#12](https://github.com/example/corpus/issues/12)", ["#12"]),
        ("Blocked by:\n\n- #12\n- [ ] #13\n* other/repo#4\n\nSee #14", ["#12", "#13", "other/repo#4"]),
        ("## Blocked by\n- #12\ntext\n- #13", ["#12"]),
        ("not blocked by #12", []),
        ("no longer blocked by #12", []),
        ("was blocked by #12, now depends on #13", ["#13"]),
        ("It isn't blocked by #12", []),
        ("~~blocked by #12~~", []),
        ("`blocked by #12`", []),
        ("```\nblocked by #12\n```\nblocked by #13", ["#13"]),
        ("~~~~\nblocked by #1\n~~~\nblocked by #2\n~~~~", []),
        ("> blocked by #12", []),
        ("<!-- blocked by #12 -->", []),
        ("<!-- blocked\nby --> blocked by #13", ["#13"]),
        ("<!-- never ends\nblocked by #12", []),
        ("blocked by the rain, see #12", []),
        ("#12 is blocked by this", []),
        ("unblocked by #12", []),
        ("blocked by #12abc", []),
        ("blocked by #", []),
        ("", []),
    ],
)
def test_who_waits_for_whom_stands_in_the_text(body: str, found: list[str]) -> None:
    assert waits(body) == found


def test_a_task_list_tracks_issues_and_its_other_boxes_are_criteria() -> None:
    facts = body_facts("- [ ] #2\n- [x] other/repo#3 with words\n- [X] it works\n  - [ ] deeply\n- [?] odd", REPOSITORY)
    assert facts.tracks == (key(2), "other/repo#3")
    assert facts.boxes == (AcceptanceBox("it works", is_ticked=True), AcceptanceBox("deeply"))


def test_a_tracked_issue_is_a_part_of_the_first_that_lists_it() -> None:
    rows = (rest_issue(1, body="- [ ] #3\n- [ ] #1"), rest_issue(2, body="- [ ] #3"), rest_issue(3))
    found = by_id(one_file(read, as_json(*rows)))
    assert [found[key(n)].parent for n in (1, 2, 3)] == [None, None, key(1)]
    assert found[key(2)].links == (Link("tracks", key(3)),)


@pytest.mark.parametrize(
    "body",
    [
        "<!--" * 100_000,
        "blocked by " * 50_000,
        "blocked" + " " * 400_000,
        "`" * 300_001,
        "~" * 300_001,
        "a" * 400_000 + "[",
        "blocked by " + "a" * 400_000,
        "blocked by " + "#1 " * 100_000,
        "- [ ] " * 80_000,
        "x/" * 200_000 + " depends on",
    ],
)
def test_a_hostile_body_takes_no_longer_than_its_length(body: str) -> None:
    start = time.process_time()
    body_facts(body, REPOSITORY)
    assert time.process_time() - start < 5  # quadratic ones took minutes


# --- files -------------------------------------------------------------------------------


def test_pages_and_a_single_issue_are_files_too() -> None:
    pages = b"[" + as_json(rest_issue(1)) + b"," + as_json(rest_issue(2)) + b"]"
    assert list(by_id(one_file(read, pages))) == [key(1), key(2)]
    single = as_json(rest_issue(3))[1:-1]
    assert list(by_id(one_file(read, single))) == [key(3)]


def test_an_empty_list_is_right_and_empty() -> None:
    assert one_file(read, b"[]").records == ()


def test_rows_that_cannot_be_taken_are_listed_with_their_lines() -> None:
    data = b"""[
{"number": 1, "title": "right", "state": "open", "url": "https://github.com/o/r/issues/1"},
{"number": 1, "number": 2, "title": "x"},
{"title": "no number"},
{"number": -4, "title": "x"}, {"number": true, "title": "x"},
{"number": 5, "title": " ", "url": "https://github.com/o/r/issues/5"},
"text",
{"number": 6, "title": "\\u0000"}]"""
    reading = one_file(read, data)
    assert rejected(reading) == [
        (3, "repeated_key"),
        (4, "id_missing"),
        (5, "id_missing"),
        (5, "id_missing"),
        (6, "text_empty"),
        (None, "no_object"),
        (8, "nul"),
    ]
    assert [record.source_id for record in reading.records] == ["o/r#1"]


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b'{"tasks": []}', "Taskmaster"),
        (b'{"id": "a", "issue_type": "x"}\n{"id": "b"}', "beads"),
        (b'[{"id": 1}]', "the keys id"),
        (b'[{"number": 1, "title": "a"}', "the text ends"),
        (b"[][]", "two values"),
    ],
)
def test_a_file_of_another_kind_is_refused_with_what_was_found(data: bytes, found: str) -> None:
    with pytest.raises(ImportInvalidError) as refused:
        one_file(read, data)
    assert found in refused.value.message


def test_issues_are_one_file_and_no_folder() -> None:
    assert not wants("issues.json", is_folder=False)
    assert not wants(".github", is_folder=True)


def test_a_large_real_file_has_a_place_for_every_row() -> None:
    reading = one_file(read, rest_file())
    assert (len(reading.records), reading.ignored, reading.rejections) == (1_000, 300, ())
    assert sum(bool(record.depends_on) for record in reading.records) > 400
