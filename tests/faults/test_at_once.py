"""Two processes that create, write, back up, restore and migrate at once: each works or says why, nothing is lost."""

from __future__ import annotations

import multiprocessing
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from loopx.cli.root import main
from loopx.store import migrate
from loopx.store.connection import Connection
from tests.support.cli import Loopx
from tests.support.lab import add, start_lab
from tests.support.project import database_of, foreign_hand, open_project

WRITERS = 4
PATIENCE_SECONDS = 60.0
NEXT = migrate.LATEST + 1


@pytest.fixture
def lab(loopx: Loopx) -> Loopx:
    return start_lab(loopx)


def texts(lab: Loopx) -> list[str]:
    return sorted(todo["text"] for todo in lab.ok("todo", "list")["todos"])


def texts_in(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as db:
        return [row[0] for row in db.execute("SELECT text FROM todos")]


def test_the_first_writes_of_a_fresh_clone_and_a_backup(lab: Loopx) -> None:
    for path in database_of(lab.root).parent.iterdir():
        if path.name.startswith("loopx.db"):
            path.unlink()
    running = [lab.start("todo", "add", "--text", f"text {number}") for number in range(WRITERS)]
    backups = [lab.start("backup", f"copy {number}.db") for number in range(2)]
    answers = [process.answer() for process in running]
    assert [answer.code for answer in answers] == [0] * WRITERS, [str(answer) for answer in answers]
    assert texts(lab) == [f"text {number}" for number in range(WRITERS)]
    for number, process in enumerate(backups):
        answer = process.answer()
        assert answer.code in (0, 6), answer
        assert (answer.code == 0) is (lab.root / f"copy {number}.db").exists()
    assert lab.ok("doctor")["findings"] == []


def test_a_backup_beside_writers_is_one_moment_of_the_project(lab: Loopx) -> None:
    add(lab, "first")
    running = [lab.start("todo", "add", "--text", f"text {number}") for number in range(WRITERS)]
    copies = [lab.start("backup", f"{number}.db").answer() for number in range(3)]
    assert [process.answer().code for process in running] == [0] * WRITERS
    for number, copy in enumerate(copies):
        assert copy.code == 0, copy
        assert lab.ok("restore", f"{number}.db", "--dry-run")["sequence"] == copy.json["sequence"]
        assert len(texts_in(lab.root / f"{number}.db")) == copy.json["todos"]


def test_what_is_written_beside_a_restore_is_in_the_state_or_in_what_was_replaced(lab: Loopx) -> None:
    add(lab, "first")
    lab.ok("backup", "copy.db")
    running = [lab.start("todo", "add", "--text", f"text {number}") for number in range(WRITERS)]
    restored = lab.start("restore", "copy.db").answer()
    assert restored.code == 0, restored
    assert [process.answer().code for process in running] == [0] * WRITERS
    replaced = texts_in(database_of(lab.root).parent / "backups" / restored.json["replaced"])
    for number in range(WRITERS):
        assert (f"text {number}" in texts(lab)) is not (f"text {number}" in replaced)
    assert lab.ok("doctor")["findings"] == []


def test_a_database_that_is_swapped_under_a_running_process_is_noticed(lab: Loopx) -> None:
    add(lab, "first")
    lab.ok("backup", "copy.db")
    add(lab, "second")
    count = "SELECT count(*) FROM todos"

    def counted(project: Any) -> Any:
        return project.read(lambda snapshot: snapshot.db.execute(count).fetchone()[0])

    with closing(open_project(lab.root)) as project:
        assert counted(project) == 2
        with project.store.write():
            pass
        (lab.root / "copy.db").replace(database_of(lab.root))
        for suffix in ("-wal", "-shm"):
            database_of(lab.root).with_name(f"loopx.db{suffix}").unlink(missing_ok=True)
        assert counted(project) == 1
        with project.store.write() as tx:
            tx.db.execute("INSERT INTO facts VALUES ('a:b', 'e', 'x', 1)")
    with foreign_hand(lab.root) as db:
        assert db.execute("SELECT fact FROM facts").fetchall() == [("a:b",)], "the write went to the file that is there"


def test_two_programs_that_migrate_at_once_migrate_once(lab: Loopx, tmp_path: Path) -> None:
    add(lab, "first")
    folder = tmp_path / "migrations"
    shutil.copytree(migrate._FOLDER, folder)
    (folder / f"{NEXT:04}_add_notes.sql").write_text("CREATE TABLE notes (note TEXT) STRICT;\n", encoding="utf-8")
    spawn = multiprocessing.get_context("spawn")
    barrier = spawn.Barrier(WRITERS)
    given = (str(lab.root), str(folder), barrier)
    processes = [spawn.Process(target=_fix_tomorrow, args=given) for _ in range(WRITERS)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(PATIENCE_SECONDS)
    assert [process.exitcode for process in processes] == [0] * WRITERS
    with foreign_hand(lab.root) as db:
        assert _version(db) == NEXT
        assert db.execute("SELECT text FROM todos").fetchall() == [("first",)]
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    (backup,) = (database_of(lab.root).parent / "backups").iterdir()
    with closing(sqlite3.connect(backup)) as old:
        assert _version(old) == NEXT - 1


def _version(db: Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def _fix_tomorrow(root: str, folder: str, barrier: Any) -> None:
    """The program of tomorrow, which has one migration more."""
    migrate._FOLDER = folder
    migrate.LATEST = NEXT
    barrier.wait(PATIENCE_SECONDS)
    raise SystemExit(main(["doctor", "--fix", "--project", root, "--format", "json"], environment={}))
