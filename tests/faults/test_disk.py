"""Torn write, corrupt read as empty, reads that write: a refusal of the disk is said, nothing is lost (S1.3, S1.6)."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from loopx.core.errors import (
    DatabaseCorruptError,
    DiskFullError,
    ReadOnlyError,
    SchemaNewerError,
    SchemaOlderError,
    StorageError,
)
from loopx.store import migrate
from loopx.store.migrate import LATEST
from tests.faults.test_crash import assert_whole
from tests.support.crew import add
from tests.support.project import database_of, foreign_hand, make_state, opened, seeded
from tests.support.unprivileged import public_folder, unprivileged

if TYPE_CHECKING:
    from collections.abc import Callable

FILE_LIMIT_BYTES = 600_000  # some writes more than the empty database and its log need


def todo_count(root: Path) -> int:
    with opened(root) as project:
        sql = "SELECT count(*) FROM todos"
        return int(project.read(lambda snapshot: snapshot.db.execute(sql).fetchone()[0]))


# --- full ----------------------------------------------------------------------------------

FILLER = """
import sys
from pathlib import Path
from loopx.core.errors import LoopxError
from tests.support.crew import add
from tests.support.project import opened
with opened(Path(sys.argv[1])) as project:
    try:
        while True:
            add(project, text="x" * 3000)
            print("kept")
    except LoopxError as error:
        print(error.code, error.exit_code)
"""


def limited(root: Path, limit: int) -> list[str]:
    """What a process says that writes until no file may grow any more."""
    answer = subprocess.run(
        [sys.executable, "-c", FILLER, str(root)],
        cwd=Path(__file__).parents[2],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=True,
    )
    return answer.stdout.splitlines()


def test_a_disk_that_is_full_refuses_and_keeps_every_write_before(tmp_path: Path) -> None:
    make_state(tmp_path)
    *kept, last = limited(tmp_path, FILE_LIMIT_BYTES)
    assert last == "disk_full 6"
    assert len(kept) == todo_count(tmp_path) > 0
    seeded(tmp_path, 1)  # with room again, work goes on
    assert_whole(tmp_path)


@pytest.mark.parametrize("limit", [0, 4096, 100_000, 200_000])
def test_a_disk_that_cannot_hold_a_new_database_leaves_no_part_of_one(tmp_path: Path, limit: int) -> None:
    folder = make_state(tmp_path)
    assert limited(tmp_path, limit) == ["disk_full 6"]
    assert [name for name in os.listdir(folder) if name.startswith("loopx.db")] == []
    assert todo_count(tmp_path) == 0
    assert seeded(tmp_path, 1)


def test_a_database_that_may_not_grow_is_a_full_disk(tmp_path: Path) -> None:
    make_state(tmp_path)
    seeded(tmp_path, 1)
    with opened(tmp_path) as project:
        add(project, text="opens the writer")
        assert project.embedded._writer is not None
        (pages,) = project.embedded._writer.execute("PRAGMA page_count").fetchone()
        project.embedded._writer.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(DiskFullError):
            add(project, text="x" * 200_000)
    assert todo_count(tmp_path) == 2
    assert_whole(tmp_path)


# --- not writable --------------------------------------------------------------------------


def test_a_read_only_folder_is_read_as_it_is_and_refuses_every_write() -> None:
    with public_folder() as root:
        folder = make_state(root)
        seeded(root, 3)
        before = {name: (folder / name).read_bytes() for name in os.listdir(folder)}
        folder.chmod(0o555)
        with unprivileged():
            assert todo_count(root) == 3
            with opened(root) as project, pytest.raises(ReadOnlyError):
                add(project, text="x")
        assert {name: (folder / name).read_bytes() for name in os.listdir(folder)} == before


def test_a_read_only_folder_is_read_beside_a_writer_that_is_at_work() -> None:
    with public_folder() as root:
        folder = make_state(root)
        folder.chmod(0o755)
        with opened(root) as writing:
            add(writing, text="first")
            with unprivileged():
                assert todo_count(root) == 1
            add(writing, text="second")
            with unprivileged():
                assert todo_count(root) == 2


def test_a_log_that_nobody_can_fold_in_is_no_reason_to_read_half() -> None:
    with public_folder() as root:
        folder = make_state(root)
        with opened(root) as writing:
            add(writing, text="in the log only")
            log = database_of(root).with_name("loopx.db-wal").read_bytes()
        database_of(root).with_name("loopx.db-wal").write_bytes(log)
        folder.chmod(0o555)
        with unprivileged(), pytest.raises(ReadOnlyError):
            todo_count(root)


def test_a_project_without_a_database_reads_as_empty_and_is_left_alone(tmp_path: Path) -> None:
    folder = make_state(tmp_path)
    assert todo_count(tmp_path) == 0
    assert os.listdir(folder) == ["registry.yaml"]


def test_a_read_changes_no_byte_and_makes_no_file_but_those_of_sqlite(tmp_path: Path) -> None:
    folder = make_state(tmp_path)
    seeded(tmp_path, 2)
    before = {name: (folder / name).read_bytes() for name in os.listdir(folder)}
    assert todo_count(tmp_path) == 2
    after = {name: (folder / name).read_bytes() for name in os.listdir(folder)}
    assert after.pop("loopx.db-wal", b"") == b""
    after.pop("loopx.db-shm", None)
    assert after == before


def test_the_empty_log_that_a_reader_leaves_does_not_close_a_read_only_folder() -> None:
    with public_folder() as root:
        folder = make_state(root)
        seeded(root, 2)
        database_of(root).with_name("loopx.db-wal").write_bytes(b"")
        folder.chmod(0o555)
        with unprivileged():
            assert todo_count(root) == 2


# --- damaged or foreign --------------------------------------------------------------------


def damaged(root: Path, content: bytes) -> bytes:
    make_state(root)
    seeded(root, 50)
    data = database_of(root).read_bytes()
    database_of(root).write_bytes(content or data[: len(data) // 2 // 4096 * 4096])
    return database_of(root).read_bytes()


@pytest.mark.parametrize("content", [b"", b"SQLite format 3\0 but no more", b"not a database\n" * 1000, b"\0" * 8192])
def test_a_damaged_database_is_an_error_and_never_an_empty_graph(tmp_path: Path, content: bytes) -> None:
    data = damaged(tmp_path, content)
    with opened(tmp_path) as project:
        with pytest.raises(StorageError) as read:
            project.read(lambda snapshot: snapshot.db.execute("SELECT text FROM todos").fetchall())
        with pytest.raises(StorageError) as written:
            add(project, text="x")
    assert (read.value.code, written.value.code) == ("database_corrupt", "database_corrupt")
    assert database_of(tmp_path).read_bytes() == data, "nothing is repaired by overwriting"


def emptied(root: Path) -> None:
    database_of(root).write_bytes(b"")


def of_another_program(root: Path) -> None:
    database_of(root).unlink()
    with foreign_hand(root) as db:
        db.execute("CREATE TABLE foreign_notes (a)")


@pytest.mark.parametrize("replace", [emptied, of_another_program])
def test_a_database_that_is_not_ours_is_never_filled_with_our_schema(
    tmp_path: Path, replace: Callable[[Path], None]
) -> None:
    make_state(tmp_path)
    seeded(tmp_path, 1)
    replace(tmp_path)
    data = database_of(tmp_path).read_bytes()
    with opened(tmp_path) as project:
        with pytest.raises(DatabaseCorruptError):
            project.read(lambda snapshot: None)
        with pytest.raises(DatabaseCorruptError):
            add(project, text="x")
    assert database_of(tmp_path).read_bytes() == data


@pytest.mark.parametrize("is_read", [True, False])
def test_a_newer_database_is_refused_and_both_versions_are_named(tmp_path: Path, is_read: bool) -> None:
    make_state(tmp_path)
    seeded(tmp_path, 1)
    with foreign_hand(tmp_path) as db:
        db.execute(f"PRAGMA user_version = {LATEST + 1}")
    with opened(tmp_path) as project, pytest.raises(SchemaNewerError) as refusal:
        project.read(lambda snapshot: None) if is_read else add(project, text="x")
    assert refusal.value.details == {"found": LATEST + 1, "known": LATEST}
    with foreign_hand(tmp_path) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (LATEST + 1,)


def test_an_older_database_is_never_migrated_by_a_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_state(tmp_path)
    seeded(tmp_path, 1)
    monkeypatch.setattr(migrate, "LATEST", LATEST + 1)
    with opened(tmp_path) as project, pytest.raises(SchemaOlderError) as refusal:
        project.read(lambda snapshot: None)
    assert refusal.value.details == {"found": LATEST, "known": LATEST + 1}
    with foreign_hand(tmp_path) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (LATEST,)
