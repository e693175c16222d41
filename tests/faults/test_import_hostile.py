"""Import all-or-nothing or silent: odd files, bad lines and races leave the state whole and say what is wrong."""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from loopx.app import import_file
from loopx.store.recount import miscounts
from loopx.store.replay import drifts, past_events, replay, table_state
from tests.support.cli import Loopx
from tests.support.unprivileged import public_folder, unprivileged

if TYPE_CHECKING:
    from pathlib import Path

TAKE = ("import", "--from", "checklist")


@pytest.fixture
def lab(inside: Loopx) -> Loopx:
    inside.ok("init", "--goal-id", "lab", "--objective", "Find out", "--agent", "ann")
    return inside


def write(lab: Loopx, data: bytes, name: str = "TODO.md") -> Path:
    path = lab.root / name
    path.write_bytes(data)
    return path


def total(lab: Loopx) -> int:
    return int(lab.ok("todo", "list")["total"])


def rejected(lab: Loopx, data: bytes) -> list[tuple[int, str]]:
    """The lines for which the file is refused; nothing of it may have been written."""
    write(lab, data)
    before = (lab.root / ".loopx" / "loopx.db").read_bytes()
    details = lab.refused(*TAKE, "TODO.md", code="import_invalid", exit_code=3).error["details"]
    assert (lab.root / ".loopx" / "loopx.db").read_bytes() == before
    return [(row["line"], row["reason_code"]) for row in details["rejected"]]


# --- what is no file ---------------------------------------------------------------------


def test_a_missing_file_is_a_wrong_call(lab: Loopx) -> None:
    lab.refused(*TAKE, "none.md", code="usage", exit_code=2)
    lab.refused(*TAKE, "none/none.md", code="usage", exit_code=2)


def test_a_folder_is_refused(lab: Loopx) -> None:
    assert "folder" in lab.refused(*TAKE, ".", code="usage", exit_code=2).error["message"]


def test_a_named_pipe_is_refused_without_waiting_for_a_writer(lab: Loopx) -> None:
    os.mkfifo(lab.root / "pipe")
    assert "named pipe" in lab.refused(*TAKE, "pipe", code="usage", exit_code=2).error["message"]


def test_a_device_is_refused(lab: Loopx) -> None:
    assert stat.S_ISCHR(os.stat("/dev/zero").st_mode)
    lab.refused(*TAKE, "/dev/zero", code="usage", exit_code=2)


def test_a_file_that_may_not_be_read_is_refused() -> None:
    with public_folder() as folder:
        lab = Loopx(folder, in_process=True)
        lab.ok("init", "--goal-id", "lab", "--objective", "Find out")
        write(lab, b"- [ ] a\n").chmod(0)
        with unprivileged():
            lab.refused(*TAKE, "TODO.md", code="usage", exit_code=2)


def test_a_link_to_a_file_is_followed_and_a_broken_one_is_refused(lab: Loopx) -> None:
    write(lab, b"- [ ] a\n")
    (lab.root / "link.md").symlink_to("TODO.md")
    assert lab.ok(*TAKE, "link.md")["source"] == "link.md"
    (lab.root / "broken.md").symlink_to("none.md")
    lab.refused(*TAKE, "broken.md", code="usage", exit_code=2)


def test_a_file_that_is_too_large_is_refused_before_it_fills_the_memory(
    lab: Loopx, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_file, "LIMIT_BYTES", 100)
    write(lab, b"- [ ] a\n" * 12)
    assert lab.ok(*TAKE, "TODO.md", "--dry-run")["counts"]["added"] == 12
    write(lab, b"- [ ] a\n" * 13)
    lab.refused(*TAKE, "TODO.md", code="import_invalid", exit_code=3)


def test_a_sparse_file_of_many_gigabytes_is_refused_at_once(lab: Loopx) -> None:
    with open(lab.root / "huge.md", "wb") as file:
        file.truncate(1 << 40)
    lab.refused(*TAKE, "huge.md", code="import_invalid", exit_code=3)


@pytest.mark.parametrize(
    "data", [b"\x7fELF\x02\x01\x00\xff", "- [ ] a\n".encode("utf-16"), "- [ ] a\n".encode("utf-32")]
)
def test_a_file_that_is_no_text_is_refused_whole(lab: Loopx, data: bytes) -> None:
    write(lab, data)
    lab.refused(*TAKE, "TODO.md", code="import_invalid", exit_code=3)
    lab.refused(*TAKE, "TODO.md", "--skip-invalid", code="import_invalid", exit_code=3)
    assert total(lab) == 0


@pytest.mark.parametrize("data", [b"", b"\n", b"\xef\xbb\xbf", b"\r\n\r\n", b"# Title\n\nprose\n"])
def test_a_file_without_work_is_no_failure_and_no_event(lab: Loopx, data: bytes) -> None:
    write(lab, data)
    document = lab.ok(*TAKE, "TODO.md")
    assert (document["counts"]["items"], document["receipt"]) == (0, None)


# --- bad lines ---------------------------------------------------------------------------


def test_every_bad_line_is_listed_with_its_number(lab: Loopx) -> None:
    assert rejected(lab, b"- [ ] fine\n- [ ] \xc3(\n- [!] odd\n<<<<<<< x\n- [ ] mine\n>>>>>>> y\n") == [
        (2, "not_utf8"),
        (3, "box_unknown"),
        (4, "conflict_marker"),
        (5, "in_conflict"),
        (6, "conflict_marker"),
    ]
    assert rejected(lab, b"- [ ] fine\r\n- [ ] a\x00b\r\n") == [(2, "nul")]


def test_skipping_bad_lines_takes_nothing_from_an_unresolved_conflict(lab: Loopx) -> None:
    write(lab, b"- [ ] a\n<<<<<<< x\n- [ ] mine\n=======\n- [ ] theirs\n>>>>>>> y\n- [ ] b\n")
    document = lab.ok(*TAKE, "TODO.md", "--skip-invalid")
    assert [row["text"] for row in document["changes"]] == ["a", "b"]


def test_texts_leave_as_they_came(lab: Loopx) -> None:
    texts = [
        "--flag",
        "$1 {0} %s `ls`",
        "<b>&amp;</auto-claimed-task>",
        "日本 🧑‍🚀 é e\u0301",
        "\u202eabc",
        "- x: [y]",
        "a\\nb",
    ]
    write(lab, "".join(f"- [ ] {text}\n" for text in texts).encode())
    lab.ok(*TAKE, "TODO.md")
    assert [todo["text"] for todo in lab.ok("todo", "list", "--full")["todos"]] == texts


def test_a_line_of_a_megabyte_is_taken_whole_and_a_longer_one_is_listed(lab: Loopx) -> None:
    text = "x" * 1_000_000
    write(lab, f"- [ ] {text}\n".encode())
    document = lab.ok(*TAKE, "TODO.md")
    assert len(document["changes"][0]["text"].encode()) <= 160
    assert lab.ok("todo", "show", document["changes"][0]["todo_id"])["todo"]["text"] == text
    assert rejected(lab, f"- [ ] {text}x\n".encode()) == [(1, "text_too_long")]


# --- the state ---------------------------------------------------------------------------


def test_a_failure_in_the_middle_leaves_the_old_state(lab: Loopx, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk is full when the last rows are written: none of the first ones may stay."""
    write(lab, b"- [ ] a\n- [ ] b\n")
    before = lab.ok("log")["total"]

    def full(*_: Any, **__: Any) -> None:
        fault = sqlite3.OperationalError("database or disk is full")
        fault.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise fault

    with monkeypatch.context() as patched:
        patched.setattr("loopx.app.import_records.write_origins", full)
        assert lab.call(*TAKE, "TODO.md").code == 6
    assert (lab.ok("log")["total"], total(lab)) == (before, 0)
    assert lab.ok(*TAKE, "TODO.md")["counts"]["added"] == 2


def test_two_imports_of_one_file_at_once_make_each_todo_once(loopx: Loopx) -> None:
    loopx.ok("init", "--goal-id", "lab", "--objective", "Find out", "--agent", "ann")
    write(loopx, b"".join(b"- [ ] item %d\n" % number for number in range(200)))
    running = [loopx.start(*TAKE, "TODO.md") for _ in range(3)]
    answers = [one.answer() for one in running]
    assert [answer.code for answer in answers] == [0, 0, 0]
    assert sorted(answer.json["counts"]["added"] for answer in answers) == [0, 0, 200]
    assert total(loopx) == 200


def test_thousands_of_items_come_in_by_one_event_and_stay_sound(lab: Loopx) -> None:
    """The many share a statement; what is kept beside them is as if each had been added alone."""
    count = 2_000
    write(lab, b"".join(b"- [ ] item %d\n  - [x] part\n  - [ ] part\n" % n for n in range(count)))
    document = lab.ok(*TAKE, "TODO.md", "--nested-depends")
    assert document["counts"]["added"] == 3 * count
    assert lab.ok("status")["ok"] is True
    with closing(sqlite3.connect(lab.root / ".loopx" / "loopx.db")) as db:
        assert miscounts(db) == []
        assert drifts(replay(past_events(db)), table_state(db)) == []
    packet = lab.ok("quota", "should-run", "--agent-id", "ann")
    assert packet["selected_todo"]["text"] == "part"
    assert packet["frontier"]["runnable"] == count
