"""beads: every line is a record, a rejection or counted; edges, states and dates by what they mean here."""

from __future__ import annotations

from typing import Any

import pytest

from loopx.core.errors import ImportInvalidError
from loopx.core.foreign.beads import read, wants
from loopx.core.foreign.beads_edges import BLOCKING, LINKS, PARENT
from loopx.core.foreign.fields import instant_of
from loopx.core.foreign.record import AcceptanceBox, ForeignState, Link
from tests.support.foreign.beads import EDGE_TYPES, beads_file, edge, issue, lines
from tests.support.foreign.reading import by_id, folder, noted, one_file, only, rejected

OPEN, DONE, DEFERRED = ForeignState.OPEN, ForeignState.DONE, ForeignState.DEFERRED


def read_one(**fields: Any) -> Any:
    """The record of an issue with these fields."""
    return only(one_file(read, lines(issue("bd-1", **fields))))


def edges_of(*edges: Any, **options: Any) -> Any:
    return by_id(one_file(read, lines(issue("bd-1", dependencies=list(edges)), issue("bd-2")), **options))


# --- fields ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ("open", OPEN),
        ("in_progress", ForeignState.STARTED),
        ("closed", DONE),
        ("deferred", DEFERRED),
        ("tombstone", ForeignState.DROPPED),
        ("hooked", OPEN),
        ("pinned", OPEN),
        ("blocked", DEFERRED),  # by nothing that is named: until somebody opens it
        ("triage", OPEN),
        (7, OPEN),
    ],
)
def test_each_status_has_a_state(status: object, state: ForeignState) -> None:
    assert read_one(status=status).state is state


def test_a_status_without_a_counterpart_is_a_label_or_kept_and_noted() -> None:
    assert read_one(status="hooked", labels=["a"]).labels == ("a", "status:hooked")
    reading = one_file(read, lines(issue("bd-1", status="triage"), issue("bd-2", status="triage")))
    assert [record.extra for record in reading.records] == [{"status": "triage", "issue_type": "task"}] * 2
    assert [(note.reason_code, note.line) for note in reading.notes] == [("status_unknown", 1)]
    assert "(2 times)" in reading.notes[0].message


def test_blocked_work_with_a_dependency_is_open_work_that_waits() -> None:
    held = edges_of(edge("bd-1", "bd-2"))["bd-1"]._replace(line=None)
    assert (held.state, held.depends_on) == (OPEN, ("bd-2",))
    reading = one_file(read, lines(issue("bd-1", status="blocked", dependencies=[edge("bd-1", "bd-2")])))
    assert (only(reading).state, noted(reading)) == (OPEN, [])


@pytest.mark.parametrize("priority", [0, 1, 4])
def test_a_priority_is_a_number_and_zero_is_the_most_urgent(priority: int) -> None:
    assert read_one(priority=priority).priority == priority


@pytest.mark.parametrize("priority", [5, -1, True, "1", 1.0, [], None])
def test_anything_else_is_no_priority_and_not_lost(priority: object) -> None:
    reading = one_file(read, lines(issue("bd-1", priority=priority)))
    record = only(reading)
    assert record.priority is None
    says_something = priority not in (None, [])
    assert ("priority" in (record.extra or {})) is says_something
    assert noted(reading) == (["priority_unknown"] if says_something else [])


@pytest.mark.parametrize(
    ("written", "same_as"),
    [
        ("2025-03-01T10:00:00Z", "2025-03-01T10:00:00+00:00"),
        ("2025-03-01T10:00:00.123Z", "2025-03-01T10:00:00.123000+00:00"),
        ("2025-03-01T10:00:00.123456789+02:00", "2025-03-01T08:00:00.123456+00:00"),
        ("2025-03-01T10:00:00.1234567-08:00", "2025-03-01T18:00:00.123456+00:00"),
        ("2025-03-01T10:00:00+05:30", "2025-03-01T04:30:00+00:00"),
    ],
)
def test_fractions_and_offsets_are_read(written: str, same_as: str) -> None:
    assert read_one(updated_at=written).updated_at == instant_of(same_as)


def test_what_is_no_date_is_kept_and_noted() -> None:
    reading = one_file(read, lines(issue("bd-1", created_at="yesterday", updated_at=5)))
    record = only(reading)
    assert (record.created_at, record.updated_at) == (None, None)
    assert record.extra == {"created_at": "yesterday", "updated_at": 5, "issue_type": "task"}
    assert noted(reading) == ["date_unknown", "date_unknown"]


def test_a_date_to_defer_until_defers_open_work() -> None:
    record = read_one(defer_until="2026-01-01T00:00:00Z")
    assert (record.state, record.resume_at) == (DEFERRED, instant_of("2026-01-01T00:00:00Z"))
    assert read_one(status="closed", defer_until="2026-01-01T00:00:00Z").state is DONE


def test_the_text_is_title_description_and_the_long_fields() -> None:
    record = read_one(title="Do\nit", description="Why\r\nso", design="Like this", notes=" ")
    assert record.text == "Do it\n\nWhy\nso\n\n## Design\n\nLike this"


def test_acceptance_is_a_list_of_bullets_or_one_text() -> None:
    assert read_one(acceptance_criteria="- one\n- [x] two\n3. [ ] three").acceptance == (
        AcceptanceBox("one"),
        AcceptanceBox("two", is_ticked=True),
        AcceptanceBox("three"),
    )
    assert read_one(acceptance_criteria="It works.\n- mostly").acceptance == (AcceptanceBox("It works.\n- mostly"),)


def test_every_other_field_is_kept_as_it_is() -> None:
    others = {
        "owner": "x@example.com",
        "estimated_minutes": 0,
        "pinned": False,
        "comments": [{"id": "u-1", "text": "hi"}],
    }
    assert read_one(**others, metadata=None, comment_count=1).extra == {**others, "issue_type": "task"}


def test_a_field_of_another_form_is_kept_rather_than_read() -> None:
    record = read_one(description=["a"], labels=["a", 1], assignee={"name": "x"}, dependencies="bd-2")
    assert (record.text, record.labels, record.assignee, record.depends_on) == ("Write it", ("a",), None, ())
    assert record.extra == {
        "description": ["a"],
        "labels": ["a", 1],
        "assignee": {"name": "x"},
        "dependencies": "bd-2",
        "issue_type": "task",
    }


def test_null_is_the_same_as_missing() -> None:
    row = {key: value for key, value in issue("bd-1").items() if key in ("id", "title")}
    record = only(
        one_file(read, lines({**row, "status": None, "dependencies": None, "labels": None, "priority": None}))
    )
    assert (record.state, record.labels, record.extra) == (OPEN, (), None)


def test_evidence_assignee_and_closing_date_are_taken() -> None:
    record = read_one(status="closed", close_reason=" Fixed ", assignee="ann", closed_at="2025-03-02T00:00:00Z")
    assert (record.evidence, record.assignee) == ("Fixed", "ann")
    assert record.closed_at == instant_of("2025-03-02T00:00:00Z")


def test_a_tombstone_is_remembered_by_its_id_alone() -> None:
    row = {"id": "bd-9", "status": "tombstone", "deleted_at": "2025-03-03T00:00:00Z", "priority": "odd"}
    reading = one_file(read, lines(row))
    record = only(reading)
    assert (record.source_id, record.state, record.extra) == ("bd-9", ForeignState.DROPPED, None)
    assert record.updated_at == instant_of("2025-03-03T00:00:00Z")
    assert reading.notes == ()


# --- edges -------------------------------------------------------------------------------


def test_all_nineteen_types_are_known() -> None:
    assert set(EDGE_TYPES) == BLOCKING | LINKS | {PARENT}
    assert len(EDGE_TYPES) == 19


@pytest.mark.parametrize("kind", EDGE_TYPES)
def test_a_type_blocks_contains_or_links_and_is_never_odd(kind: str) -> None:
    reading = one_file(read, lines(issue("bd-1", dependencies=[edge("bd-1", "bd-2", kind)])))
    record = only(reading)
    assert record.depends_on == (("bd-2",) if kind in BLOCKING else ())
    assert record.parent == ("bd-2" if kind == PARENT else None)
    assert record.links == ((Link(kind, "bd-2"),) if kind in LINKS else ())
    assert reading.notes == ()


def test_an_edge_without_a_type_blocks() -> None:
    assert edges_of({"depends_on_id": "bd-2"})["bd-1"].depends_on == ("bd-2",)


def test_an_unknown_type_is_a_link_and_noted() -> None:
    reading = one_file(read, lines(issue("bd-1", dependencies=[edge("bd-1", "bd-2", "haunts")])))
    assert only(reading).links == (Link("haunts", "bd-2"),)
    assert noted(reading) == ["dependency_type_unknown"]


def test_blocked_by_is_a_link_until_somebody_says_what_it_means() -> None:
    reading = one_file(read, lines(issue("bd-1", dependencies=[edge("bd-1", "bd-2", "blocked-by")]), issue("bd-2")))
    found = by_id(reading)
    assert (found["bd-1"].depends_on, found["bd-2"].depends_on) == ((), ())
    assert (found["bd-1"].links, noted(reading)) == ((Link("blocked-by", "bd-2"),), ["blocked_by_unclear"])


def test_blocked_by_is_read_backwards_on_request() -> None:
    found = edges_of(edge("bd-1", "bd-2", "blocked-by"), reverse_blocked_by=True)
    assert (found["bd-1"].depends_on, found["bd-2"].depends_on) == ((), ("bd-1",))


def test_a_dependency_on_another_project_is_a_link_and_noted() -> None:
    reading = one_file(read, lines(issue("bd-1", dependencies=[edge("bd-1", "external:other:x-1")])))
    assert only(reading).depends_on == ()
    assert (only(reading).links, noted(reading)) == ((Link("blocks", "external:other:x-1"),), ["dependency_external"])


def test_what_an_edge_says_beside_its_ends_is_kept() -> None:
    more = {**edge("bd-1", "bd-2"), "metadata": '{"gate": "any"}'}
    assert edges_of(more, edge("bd-1", "bd-2"))["bd-1"].extra["dependencies"] == [more]


@pytest.mark.parametrize("odd", ["bd-2", 5, None, {"issue_id": "bd-1"}, edge("bd-7", "bd-2"), {"depends_on_id": {}}])
def test_an_edge_that_says_nothing_usable_is_kept_and_noted(odd: object) -> None:
    reading = one_file(read, lines(issue("bd-1", dependencies=[odd])))
    assert (only(reading).depends_on, noted(reading)) == ((), ["dependency_malformed"])
    extra = only(reading).extra
    assert extra is not None
    assert extra["dependencies"] == [odd]


def test_a_second_parent_is_a_link() -> None:
    reading = one_file(
        read, lines(issue("bd-1", dependencies=[edge("bd-1", "bd-2", PARENT), edge("bd-1", "bd-3", PARENT)]))
    )
    assert (only(reading).parent, only(reading).links) == ("bd-2", (Link(PARENT, "bd-3"),))
    assert noted(reading) == ["parent_twice"]


# --- lines and files ---------------------------------------------------------------------


def test_memory_lines_and_blank_lines_are_counted_and_no_work() -> None:
    reading = one_file(read, lines(issue("bd-1", _type="issue"), {"_type": "memory", "id": "m"}) + b"\n\n")
    assert (list(by_id(reading)), reading.ignored, noted(reading)) == (["bd-1"], 3, ["not_work"])
    assert only(reading).extra == {"issue_type": "task"}


def test_lines_that_cannot_be_taken_are_listed_with_their_numbers() -> None:
    good = lines(issue("bd-1"))
    bad = b'{"id": "bd-2"} {"id": "bd-3"}\n{"id": "bd-4", "id": "x"}\n{"title": "no id"}\n{"id": [], "title": "x"}\n'
    empty = lines(issue("bd-5", " "), issue("bd-6", "x" * 1_000_001))
    reading = one_file(read, good + bad + empty + b'\xff\n{"id": "bd-7", "ti')
    assert rejected(reading) == [
        (2, "two_values"),
        (3, "repeated_key"),
        (4, "id_missing"),
        (5, "id_missing"),
        (6, "text_empty"),
        (7, "text_too_long"),
        (8, "not_utf8"),
        (9, "truncated"),
    ]
    assert [record.source_id for record in reading.records] == ["bd-1"]
    assert [row.source_id for row in reading.rejections if row.source_id] == ["bd-5", "bd-6"]


def test_a_file_of_nothing_but_marks_of_a_merge_is_listed_not_called_foreign() -> None:
    reading = one_file(read, b"<<<<<<< a\n" + lines(issue("bd-1")) + b"=======\n>>>>>>> b\n")
    marker = "conflict_marker"
    assert rejected(reading) == [(1, marker), (2, "in_conflict"), (3, marker), (4, marker)]


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b'{\n "tasks": [{"id": 1}]\n}', "taskmaster"),
        (b'{"master": {"tasks": []}}', "taskmaster"),
        (b'[{"number": 1, "title": "x"}]', "github"),
        (b"- [ ] a box\n", "checklist"),
        (b'{"hello": 1}\n', "hello"),
        (b"prose\n", "neither JSON"),
    ],
)
def test_a_file_of_another_kind_is_refused_with_what_was_found(data: bytes, found: str) -> None:
    with pytest.raises(ImportInvalidError) as refused:
        one_file(read, data)
    assert found in f"{refused.value.message} {refused.value.hint}"


def test_a_backup_is_joined_from_its_tables() -> None:
    rows = {
        "issues.jsonl": lines(issue("bd-1", assignee=None, ephemeral=0), issue("bd-2")),
        "dependencies.jsonl": lines({**edge("bd-1", "bd-2"), "metadata": "{}", "thread_id": ""}, edge("bd-8", "bd-2")),
        "labels.jsonl": lines({"issue_id": "bd-1", "label": "fast"}, {"issue_id": "bd-1"}),
        "comments.jsonl": lines({"id": "u", "issue_id": "bd-2", "author": "ann", "text": "hi"}),
        "config.jsonl": lines({"key": "prefix", "value": "bd"}),
        "events.jsonl": lines({"id": 1, "issue_id": "bd-1", "event_type": "created"}, {"id": 2}),
    }
    reading = folder(read, rows)
    one, two = reading.records
    assert (one.depends_on, one.labels, one.path) == (("bd-2",), ("fast",), "issues.jsonl")
    assert two.extra == {
        "comments": [{"id": "u", "issue_id": "bd-2", "author": "ann", "text": "hi"}],
        "issue_type": "task",
    }
    assert [(row.path, row.line, row.reason_code) for row in reading.rejections] == [
        ("labels.jsonl", 2, "row_incomplete")
    ]
    assert reading.ignored == 3
    assert noted(reading) == ["row_without_issue", "file_ignored", "file_ignored"]


def test_older_deletions_are_remembered_like_tombstones() -> None:
    files = {
        ".beads/issues.jsonl": lines(issue("bd-1")),
        ".beads/deletions.jsonl": lines({"id": "bd-2", "ts": "2025-01-01T00:00:00Z", "by": "ann"}, {"ts": "x"}),
        ".beads/beads.jsonl": lines(issue("bd-1"), issue("bd-old")),
    }
    reading = folder(read, files)
    states = {record.source_id: record.state for record in reading.records}
    assert states == {"bd-1": OPEN, "bd-2": ForeignState.DROPPED}
    assert rejected(reading) == [(2, "id_missing")]
    assert (reading.ignored, noted(reading)) == (2, ["file_ignored"])


def test_only_its_own_files_are_wanted_of_a_folder() -> None:
    assert wants(".beads", is_folder=True)
    assert not wants(".beads/backup", is_folder=True)
    assert not wants("src", is_folder=True)
    assert wants("issues.jsonl", is_folder=False)
    assert wants(".beads/deletions.jsonl", is_folder=False)
    assert not wants("other.jsonl", is_folder=False)
    assert not wants("src/issues.jsonl", is_folder=False)


def test_a_folder_without_a_file_of_issues_is_refused() -> None:
    with pytest.raises(ImportInvalidError):
        folder(read, {"labels.jsonl": b"{}", "events.jsonl": b"{}"})


def test_a_large_real_file_has_a_place_for_every_line() -> None:
    data = beads_file()
    reading = one_file(read, data)
    assert data.count(b"\n") == len(reading.records) == 5_722
    assert reading.rejections == ()
    assert sum(record.state is ForeignState.DROPPED for record in reading.records) == 3_319
    relations = sum(len(row.depends_on) + len(row.links) + (row.parent is not None) for row in reading.records)
    assert 1_000 < relations <= 1_024  # equal edges count once
