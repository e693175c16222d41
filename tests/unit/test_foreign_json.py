"""JSON and lines of others: each object knows its line, and what would be lost or guessed is a flaw."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from loopx.core.errors import ImportInvalidError
from loopx.core.foreign.json_file import MOST_REJECTIONS, read_json_document, read_json_lines
from loopx.core.foreign.json_text import DEEPEST, Flaw, JsonObject, JsonReader
from loopx.core.foreign.record import SourceFile
from loopx.core.foreign.sniff import Wanted, what_it_is
from loopx.core.foreign.text_lines import LineFault, sound_text, text_lines

WANTED = Wanted("a thing", "thing")


def flaw(text: str) -> tuple[int, str] | None:
    """Line and code of what is wrong with a text."""
    value = JsonReader().read(text)
    found = value.flaw if isinstance(value, JsonObject) else value
    return (found.line, str(found.fault)) if isinstance(found, Flaw) else None


def lines(data: bytes) -> list[tuple[int, str | None]]:
    return [(line.number, line.fault) for line in text_lines(data) if line.fault]


# --- one value ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "code"),
    [
        ('{"a": 1} {"b": 2}', 1, "two_values"),
        ('{"a": 1}\n{"b": 2}', 2, "two_values"),
        ('{"a": 1} x', 1, "not_json"),
        ('{"a": "b', 1, "truncated"),
        ('{"a": 1,', 1, "truncated"),
        ('{"a": ', 1, "truncated"),
        ('{"a": 1,\n "b" 2}', 2, "not_json"),
        ('{"a": 1, "a": 2}', 1, "repeated_key"),
        ('{"b": {"a": 1, "a": 2}}', 1, "repeated_key"),
        ('{"a": NaN}', 1, "not_a_number"),
        ('{"a": -Infinity}', 1, "not_a_number"),
        ('{"a": 1e999}', 1, "number_too_long"),
        ('{"a": ' + "9" * 5_000 + "}", 1, "number_too_long"),
        ('{"a": "\\u0000"}', 1, "nul"),
        ('{"a": "\\ud800"}', 1, "lone_surrogate"),
        ('{"\\udfff": 1}', 1, "lone_surrogate"),
        ('{"a": ' + "[" * DEEPEST + "]" * DEEPEST + "}", 1, "too_deep"),
        ("[" * (DEEPEST + 2) + "]" * (DEEPEST + 2), 1, "too_deep"),
        ("[" * 100_000, 1, "too_deep"),
        ('{"a":' * 100_000, 1, "too_deep"),
        ("nonsense", 1, "not_json"),
    ],
)
def test_what_is_wrong_has_a_code_and_a_line(text: str, line: int, code: str) -> None:
    assert flaw(text) == (line, code)


@pytest.mark.parametrize(
    "text",
    ['{"a": "\\ud83e\\uddf5"}', '{"a": 0}', "{}", '{"a": [[[[]]]]}', '{"a": "\\\\u0000"}', '{"a": 1.5, "b": -1e-3}'],
)
def test_what_is_odd_but_right_is_taken(text: str) -> None:
    assert flaw(text) is None
    assert JsonReader().read(text) == json.loads(text)


def test_a_reader_forgets_the_flaws_of_the_text_before() -> None:
    reader = JsonReader()
    reader.read('{"a": NaN}')
    value = reader.read('{"a": 1}', line=7)
    assert isinstance(value, JsonObject)
    assert (value.flaw, value.line) == (None, 7)


def test_objects_in_rows_know_their_lines_and_keep_their_flaws_to_themselves() -> None:
    text = """{
 "t": {"tasks": [
  {"id": 1, "x": [{"deep": 1}]},
  {"id": 2, "id": 2},
  {"id": 3,
   "parts": [
    {"a": NaN}]}
 ]}
}"""
    document: Any = JsonReader(("tasks", "parts")).read(text)
    tasks = document["t"]["tasks"]
    assert [task.line for task in tasks] == [3, 4, 5]
    assert [task.flaw and str(task.flaw.fault) for task in tasks] == [None, "repeated_key", None]
    assert document.flaw is document["t"].flaw is None
    (part,) = tasks[2]["parts"]
    assert (part.line, str(part.flaw.fault)) == (7, "not_a_number")


def test_a_top_level_array_gives_each_object_its_line() -> None:
    rows: Any = JsonReader().read('[\n{"a": 1},\n{"a": 1, "a": 2},\n [{"a": 3}], NaN, {"b": 1}]')
    assert [rows[0].line, rows[1].line, rows[2][0].line, rows[4].line] == [2, 3, 4, 4]
    assert [row.flaw is None for row in (rows[0], rows[1], rows[2][0], rows[4])] == [True, False, True, True]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(JSON, st.sampled_from([None, 1, "\t"]), st.booleans())
def test_right_json_is_read_as_the_standard_reads_it(value: Any, indent: Any, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    for rows in ((), ("tasks",), tuple(value) if isinstance(value, dict) else ()):
        found = JsonReader(rows).read(text)
        if "\\u0000" in json.dumps(value):
            continue
        assert found == value
        assert not isinstance(found, Flaw)


@given(st.text(alphabet='{}[]",:\\u0d8 aN1e\n'))
def test_any_text_gives_a_value_or_a_flaw(text: str) -> None:
    for rows in ((), ("a",)):
        found = JsonReader(rows).read(text)
        try:
            json.loads(text)
        except ValueError:
            assert isinstance(found, Flaw)
            assert 1 <= found.line <= text.count("\n") + 1


# --- lines -------------------------------------------------------------------------------


def test_marks_of_a_merge_and_what_stands_between_them_are_faults() -> None:
    data = b"a\n<<<<<<< HEAD\nb\n||||||| base\n=======\nc\n>>>>>>> other\nd\n=======\n"
    marker, inside = LineFault.CONFLICT_MARKER, LineFault.IN_CONFLICT
    assert lines(data) == [(2, marker), (3, inside), (4, marker), (5, marker), (6, inside), (7, marker)]


def test_a_row_of_signs_is_no_mark_of_a_merge() -> None:
    assert lines(b"<<<<<<<<<\n>>>>>>>>\n=======\n") == []


def test_one_line_that_is_not_utf8_spoils_no_other() -> None:
    assert lines(b"a\n\xff\nb\x00\nc") == [(2, LineFault.NOT_UTF8), (3, LineFault.NUL)]


@pytest.mark.parametrize("data", [b"\xef\xbb\xbfa\r\nb\r\n", b"a\rb", b"a\nb\n"])
def test_marks_and_ends_of_other_systems_do_not_matter(data: bytes) -> None:
    assert [line.text for line in text_lines(data)] == ["a", "b"]
    assert sound_text(data) == "a\nb"


@pytest.mark.parametrize("data", [b"", b" \n\t\n", b"\xef\xbb\xbf", "{}".encode("utf-16"), b"\xff\xfe\x00\x00"])
def test_what_is_no_text_at_all_is_refused_whole(data: bytes) -> None:
    with pytest.raises(ImportInvalidError):
        text_lines(data)
    with pytest.raises(ImportInvalidError):
        sound_text(data)


@given(st.binary())
@example(b"a\x00b")
@example(b"a\n<<<<<<< b\n")
@example(b">>>>>>>>")
def test_a_text_is_sound_exactly_where_no_line_has_a_fault(data: bytes) -> None:
    try:
        found = list(text_lines(data))
    except ImportInvalidError:
        return
    whole = sound_text(data)
    if whole is None:  # or it only looked as if there were one
        assert any(line.fault for line in found) or b"<<<<<<<" in data or b">>>>>>>" in data
    else:
        assert whole == "\n".join(line.text for line in found)
        assert not any(line.fault for line in found)


# --- files -------------------------------------------------------------------------------


def test_every_line_is_an_object_a_rejection_or_blank() -> None:
    data = b'{"a": 1}\n\n[1]\n3\n{"a": 1} {"b": 2}\n<<<<<<< x\n{"c": 1}\n>>>>>>> y\n{"d": '
    found = read_json_lines(SourceFile("f", data), path="f")
    assert [value.line for value in found.objects] == [1]
    assert found.blank == 1
    assert [(row.line, row.reason_code) for row in found.rejections] == [
        (3, "no_object"),
        (4, "no_object"),
        (5, "two_values"),
        (6, "conflict_marker"),
        (7, "in_conflict"),
        (8, "conflict_marker"),
        (9, "truncated"),
    ]
    assert {row.path for row in found.rejections} == {"f"}


def test_a_file_of_bad_lines_is_something_else() -> None:
    with pytest.raises(ImportInvalidError) as refused:
        read_json_lines(SourceFile("f", b"x\n" * (MOST_REJECTIONS + 1)))
    assert refused.value.details["rejected_total"] == MOST_REJECTIONS + 1
    assert len(read_json_lines(SourceFile("f", b"x\n" * MOST_REJECTIONS)).rejections) == MOST_REJECTIONS


def test_a_document_with_marks_of_a_merge_is_refused_with_their_lines() -> None:
    data = b'{\n<<<<<<< HEAD\n"a": 1\n=======\n"a": 2\n>>>>>>> other\n}'
    with pytest.raises(ImportInvalidError) as refused:
        read_json_document(SourceFile("tasks.json", data), WANTED)
    details: Any = refused.value.details
    assert [row["line"] for row in details["rejected"]] == [2, 3, 4, 5, 6]
    assert details["rejected_total"] == 5
    assert "tasks.json, line 2" in refused.value.message


def test_a_document_that_ends_early_is_refused_with_its_last_line() -> None:
    with pytest.raises(ImportInvalidError) as refused:
        read_json_document(SourceFile("tasks.json", b'{\n"tasks": [\n{"id": 1'), WANTED)
    details: Any = refused.value.details
    assert [(row["line"], row["reason_code"]) for row in details["rejected"]] == [(3, "truncated")]


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b'{"tasks": [{"id": 1}]}', "taskmaster"),
        (b'{"master": {"tasks": []}, "x": 1}', "taskmaster"),
        (b'[{"number": 1, "title": "a"}]', "github"),
        (b'{"id": "a", "issue_type": "task"}\n{"id": "b"}\n', "beads"),
        (b'{"format": "loopx-export", "version": 1}\n{}', "loopx"),
        (b'{"schema_version": "0.1", "goals": []}', "loopx-legacy"),
        (b"---\nid: BACK-1\n---\n", "backlog"),
        (b"# Plan\n\n- [ ] one\n", "checklist"),
        (b'{"subject": "a", "blockedBy": []}', "claude"),
        (b"[1, 2]", None),
        (b"3", None),
        (b"\xff\x00", None),
        (b"", None),
    ],
)
def test_a_wrong_file_is_told_by_what_it_holds(data: bytes, kind: str | None) -> None:
    assert what_it_is(data).kind == kind
