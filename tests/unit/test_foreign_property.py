"""Whatever bytes a reader gets, it refuses them whole or has a place for every line, row and file; it never breaks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopx.app import import_backlog
from loopx.core.errors import LoopxError
from loopx.core.foreign import beads, github, taskmaster
from loopx.core.foreign.kept import kept_text
from loopx.core.foreign.record import Reading, ReadOptions, SourceFile
from loopx.core.import_plan import plan_import
from loopx.core.text import checked_text
from tests.support.foreign.reading import folder, one_file

if TYPE_CHECKING:
    from collections.abc import Callable

READERS = {
    "backlog": import_backlog.read,
    "beads": beads.read,
    "github": github.read,
    "taskmaster": taskmaster.read,
}
ODD = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8)
VALUES = st.recursive(
    ODD,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
WORDS = st.sampled_from(
    ["open", "closed", "blocked", "review", "done", "high", "1", "2", "a-1", "1.2", "#2", "[x]", "---"]
)
IDS = st.integers(0, 4) | st.sampled_from(["1", "2", "a-1", "3.1"]) | VALUES


def rows(*keys: str) -> st.SearchStrategy[dict[str, Any]]:
    """Objects with some of these keys and odd values for them."""
    return st.dictionaries(st.sampled_from(keys) | st.text(max_size=4), WORDS | IDS | VALUES, max_size=8)


EDGE = rows("issue_id", "depends_on_id", "type", "metadata")
ISSUE = st.builds(
    lambda row, edges: {**row, "dependencies": edges},
    rows("id", "title", "status", "priority", "issue_type", "created_at", "labels", "_type", "defer_until"),
    st.lists(EDGE, max_size=3) | VALUES,
)
TASK: st.SearchStrategy[Any] = st.recursive(
    rows("id", "title", "status", "priority", "dependencies", "details"),
    lambda inner: st.builds(
        lambda row, parts: {**row, "subtasks": parts},
        rows("id", "title", "status", "dependencies"),
        st.lists(inner | VALUES, max_size=3),
    ),
    max_leaves=5,
)
ROW = rows("number", "title", "body", "state", "state_reason", "labels", "assignees", "pull_request", "html_url")


def sound(reading: Reading) -> Reading:
    """What the rest of an import relies on: texts that can be stored, and a plan that can be made."""
    for record in reading.records:
        checked_text(record.text, field="text")
        checked_text(record.source_id, field="id")
        json.loads(kept_text(record) or "{}")
        for text in (
            *record.labels,
            *record.depends_on,
            *(box.text for box in record.acceptance),
            record.question or "x",
        ):
            text.encode()
        assert record.priority in (None, 0, 1, 2, 3, 4)
    plan_import(reading.records, {}, nested=True)
    for message in [row.message for row in reading.rejections] + [note.message for note in reading.notes]:
        assert message
        message.encode()
    return reading


def tried(read: Callable[[], Reading]) -> Reading | None:
    """What was read; None for a refusal in our own words."""
    try:
        return sound(read())
    except LoopxError:
        return None


@pytest.mark.parametrize("kind", READERS)
@given(data=st.binary() | st.text().map(str.encode) | VALUES.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_are_read_or_refused(kind: str, data: bytes) -> None:
    tried(lambda: one_file(READERS[kind], data, "tasks/back-1 - a.md", repository="o/r"))


@given(
    st.lists(ISSUE, min_size=1, max_size=5),
    st.lists(st.sampled_from([b"", b"<<<<<<< x", b"{", b"\xff", b"[]"]), max_size=3),
)
def test_every_line_of_beads_is_a_record_a_rejection_or_counted(issues: list[dict[str, Any]], odd: list[bytes]) -> None:
    lines = [*odd[:1], *(json.dumps(issue).encode() for issue in issues), *odd[1:]]
    reading = tried(lambda: one_file(beads.read, b"\n".join((*lines, b'{"id": "x-1", "title": "the last"}'))))
    if reading is not None:
        assert len(reading.records) + len(reading.rejections) + reading.ignored == len(lines) + 1
        places = [row.line for row in reading.records] + [row.line for row in reading.rejections]
        assert set(places) <= set(range(1, len(lines) + 2))


def count(tasks: Any) -> int:
    """Tasks and everything in their lists of sub-tasks."""
    left, number = list(tasks), 0
    while left:
        task = left.pop()
        number += 1
        inside = task.get("subtasks") if isinstance(task, dict) else None
        left += inside if isinstance(inside, list) else []
    return number


@given(st.dictionaries(st.text(max_size=4), st.lists(TASK | VALUES, max_size=3), min_size=1, max_size=3))
def test_every_task_is_a_record_or_a_rejection(tags: dict[str, list[Any]]) -> None:
    document = {tag: {"tasks": tasks} for tag, tasks in tags.items()}
    reading = tried(lambda: one_file(taskmaster.read, json.dumps(document, indent=1).encode()))
    if reading is not None:
        assert len(reading.records) + len(reading.rejections) == sum(map(count, tags.values()))


@given(st.lists(ROW | VALUES, max_size=5))
def test_every_row_of_issues_is_a_record_a_rejection_or_counted(found: list[Any]) -> None:
    known = {"number": 1, "title": "the first", "state": "open"}
    pages = sum(len(row) if isinstance(row, list) else 1 for row in found)
    reading = tried(lambda: one_file(github.read, json.dumps([known, *found]).encode(), repository="o/r"))
    if reading is not None:
        assert len(reading.records) + len(reading.rejections) + reading.ignored == pages + 1


FRONT = st.lists(
    st.tuples(
        st.sampled_from(["id", "title", "status", "labels", "dependencies", "created_date", "priority", "assignee"]),
        st.sampled_from(
            ["BACK-1", "To Do", "[a, b]", "2025-01-01", "'", "[", ">-\n  x", "*a", "&a b", "~", "{a: 1}", "- x"]
        )
        | st.text(max_size=5),
    ),
    max_size=6,
).map(lambda fields: "".join(f"{name}: {value}\n" for name, value in fields))


@given(st.lists(st.tuples(FRONT, st.text(max_size=60)), min_size=1, max_size=4))
def test_every_file_is_a_record_a_rejection_or_counted(parts: list[tuple[str, str]]) -> None:
    files = {f"tasks/back-{n} - a.md": f"---\n{front}---\n{body}".encode() for n, (front, body) in enumerate(parts)}
    files["tasks/back-99 - z.md"] = b"---\nid: BACK-99\ntitle: the last\n---\n"
    reading = tried(lambda: folder(import_backlog.read, files))
    if reading is not None:
        places = [row.path for row in reading.records] + [row.path for row in reading.rejections]
        assert set(places) == set(files)  # a file with several bad lines is listed with each of them


def test_equal_bytes_give_equal_readings() -> None:
    data = b'{"id": "a", "title": "x", "labels": ["b", "a"]}\n{"id": "b", "title": "y", "odd": {"z": 1, "a": 2}}\n'
    first, second = (beads.read([SourceFile("f", data)], ReadOptions()) for _ in range(2))
    assert first == second
    assert [kept_text(record) for record in first.records] == [kept_text(record) for record in second.records]
