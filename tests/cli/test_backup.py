"""`loopx backup` and `loopx restore`: a copy that can be trusted, and a way back that loses nothing."""

from __future__ import annotations

import os
import shutil
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from loopx.store.replay import table_state
from tests.support.cli import Loopx
from tests.support.fakes import SequenceIds
from tests.support.lab import add, finish, lease, start_lab
from tests.support.project import database_of, foreign_hand, open_project


@pytest.fixture
def lab(inside: Loopx) -> Loopx:
    return start_lab(inside)


def texts(lab: Loopx) -> list[str]:
    return [todo["text"] for todo in lab.ok("todo", "list")["todos"]]


def kept(lab: Loopx) -> list[str]:
    folder = lab.root / ".loopx" / "backups"
    return sorted(os.listdir(folder)) if folder.exists() else []


def tables(root: Path) -> Any:
    with closing(open_project(root)) as project:
        return project.read(lambda snapshot: table_state(snapshot.db))


# --- backup --------------------------------------------------------------------------------


def test_a_backup_is_one_file_that_holds_what_the_project_holds(lab: Loopx, tmp_path: Path) -> None:
    finish(lab, add(lab, "one"))
    lease(lab, add(lab, "two"))
    document = lab.ok("backup", "copy.db")
    assert (document["todos"], document["sequence"]) == (2, lab.ok("log")["total"])
    assert document["bytes"] == (tmp_path / "copy.db").stat().st_size
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("copy")] == ["copy.db"]


def test_it_changes_nothing_of_the_project(lab: Loopx) -> None:
    add(lab, "one")
    before = (lab.ok("log")["total"], kept(lab))
    lab.ok("backup", "copy.db")
    assert (lab.ok("log")["total"], kept(lab)) == before


def test_a_file_that_exists_is_replaced_only_by_force(lab: Loopx, tmp_path: Path) -> None:
    add(lab, "one")
    (tmp_path / "copy.db").write_bytes(b"mine")
    lab.refused("backup", "copy.db", code="target_exists", exit_code=3)
    assert (tmp_path / "copy.db").read_bytes() == b"mine"
    lab.ok("backup", "copy.db", "--force")
    (tmp_path / "folder").mkdir()
    lab.refused("backup", "folder", "--force", code="target_exists")


@pytest.mark.parametrize("place", [".loopx/loopx.db", ".loopx/registry.yaml", ".loopx/new.db"])
def test_a_backup_never_lies_among_the_states_own_files(lab: Loopx, place: str) -> None:
    add(lab, "one")
    lab.refused("backup", place, "--force", exit_code=2)
    assert lab.ok("doctor")["findings"] == []


def test_a_project_without_a_database_has_nothing_to_back_up(lab: Loopx, tmp_path: Path) -> None:
    (tmp_path / ".loopx" / "loopx.db").unlink()
    lab.refused("backup", "copy.db", exit_code=6)
    assert not (tmp_path / "copy.db").exists()


def test_a_folder_that_is_not_there_leaves_nothing_behind(lab: Loopx, tmp_path: Path) -> None:
    add(lab, "one")
    lab.refused("backup", "nowhere/copy.db", exit_code=6)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".loopx"]


def test_a_faulty_history_is_backed_up_with_a_warning(lab: Loopx) -> None:
    add(lab, "one")
    with foreign_hand(lab.root) as db:
        db.execute("UPDATE events SET reason = 'x' WHERE sequence = 1")
    assert any("doctor" in warning for warning in lab.ok("backup", "copy.db")["warnings"])


# --- restore -------------------------------------------------------------------------------


def test_a_restore_brings_back_what_was_and_keeps_what_is_replaced(lab: Loopx) -> None:
    one = add(lab, "one")
    lab.ok("backup", "copy.db")
    before = tables(lab.root)
    finish(lab, one)
    add(lab, "two")
    document = lab.ok("restore", "copy.db", "--reason", "a wrong turn")
    assert tables(lab.root) == before
    assert kept(lab) == [document["replaced"]]
    assert lab.ok("doctor")["findings"] == []
    lab.ok("restore", f".loopx/backups/{document['replaced']}")
    assert texts(lab) == ["one", "two"]


def test_the_history_says_that_it_was_restored_and_stays_a_chain(lab: Loopx) -> None:
    add(lab, "one")
    at = lab.ok("backup", "copy.db")["sequence"]
    add(lab, "two")
    document = lab.ok("restore", "copy.db", "--reason", "a wrong turn")
    last = lab.ok("log")["events"][-1]
    assert (document["sequence"], last["sequence"]) == (at, at + 1)
    assert (last["action"], last["reason"]) == ("restored", "a wrong turn")
    assert last["receipt"] == {"restored_to": at, "replaced": document["replaced"]}


def test_the_registry_stays_and_a_difference_is_told(lab: Loopx) -> None:
    add(lab, "one")
    registry = lab.root / ".loopx" / "registry.yaml"
    old = registry.read_bytes()
    lab.ok("backup", "copy.db")
    assert lab.ok("restore", "copy.db")["registry_differs"] is False
    lab.ok("pool", "set", "gpu", "--capacity", "2")
    new = registry.read_bytes()
    document = lab.ok("restore", "copy.db")
    assert document["registry_differs"] is True
    assert document["warnings"]
    assert registry.read_bytes() == new
    assert (lab.root / ".loopx" / "backups" / document["registry_kept"]).read_bytes() == old
    add(lab, "after")
    assert lab.ok("log")["events"][-2]["action"] == "registry_edited"
    assert lab.ok("doctor")["findings"] == []


def test_a_process_that_has_the_database_open_sees_the_restored_state(lab: Loopx) -> None:
    add(lab, "one")
    lab.ok("backup", "copy.db")
    add(lab, "two")
    count = "SELECT count(*) FROM todos"
    with closing(open_project(lab.root, ids=SequenceIds())) as other, foreign_hand(lab.root) as foreign:
        assert other.read(lambda snapshot: snapshot.db.execute(count).fetchone()) == (2,)
        assert foreign.execute(count).fetchone() == (2,)
        lab.ok("restore", "copy.db")
        assert other.read(lambda snapshot: snapshot.db.execute(count).fetchone()) == (1,)
        assert foreign.execute(count).fetchone() == (1,)


def test_a_dry_run_checks_the_file_and_changes_nothing(lab: Loopx) -> None:
    add(lab, "one")
    lab.ok("backup", "copy.db")
    add(lab, "two")
    before = tables(lab.root)
    assert lab.ok("restore", "copy.db", "--dry-run")["dry_run"] is True
    assert (tables(lab.root), kept(lab)) == (before, [])


def test_a_retry_restores_once(lab: Loopx) -> None:
    add(lab, "one")
    lab.ok("backup", "copy.db")
    first = lab.ok("restore", "copy.db", "--operation-id", "op-1")
    add(lab, "after")
    again = lab.ok("restore", "copy.db", "--operation-id", "op-1")
    assert again == {**first, "receipt": {**first["receipt"], "replayed": True}}
    assert texts(lab) == ["one", "after"]
    lab.refused("restore", "copy.db", "--force", "--operation-id", "op-1", code="operation_conflict")


def test_only_a_person_restores(lab: Loopx) -> None:
    add(lab, "one")
    lab.ok("backup", "copy.db")
    lab.refused("restore", "copy.db", "--agent-id", "ann", code="user_decision_required")
    lab.refused("restore", "copy.db", code="role_not_allowed", env={"LOOPX_ROLE": "teammate"})


@pytest.fixture
def copied(lab: Loopx) -> Path:
    add(lab, "one")
    lab.ok("backup", "copy.db")
    add(lab, "two")
    return lab.root / "copy.db"


def spoil(path: Path, *statements: str) -> None:
    import sqlite3

    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for statement in statements:
            db.execute(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE events SET reason = 'x' WHERE sequence = 1",
        "DELETE FROM events WHERE sequence = 1",
        "INSERT INTO lapses VALUES ('nobody', 'ann', 1)",
        "PRAGMA user_version = 0",
    ],
)
def test_an_unsound_backup_is_refused_and_the_state_stays(lab: Loopx, copied: Path, statement: str) -> None:
    spoil(copied, statement)
    before = tables(lab.root)
    lab.refused("restore", "copy.db", code="backup_invalid", exit_code=6)
    assert (tables(lab.root), kept(lab)) == (before, [])


@pytest.mark.parametrize("content", [b"", b"words\n" * 999, b"SQLite format 3\0"])
def test_a_file_that_is_no_backup_is_refused(lab: Loopx, copied: Path, content: bytes) -> None:
    copied.write_bytes(content)
    lab.refused("restore", "copy.db", code="backup_invalid", exit_code=6)
    assert texts(lab) == ["one", "two"]


def test_a_truncated_backup_is_refused(lab: Loopx, copied: Path) -> None:
    copied.write_bytes(copied.read_bytes()[: 20 * 4096])
    lab.refused("restore", "copy.db", code="backup_invalid")
    assert texts(lab) == ["one", "two"]


def test_a_backup_of_a_newer_program_is_refused_by_its_version(lab: Loopx, copied: Path) -> None:
    spoil(copied, "PRAGMA user_version = 99")
    lab.refused("restore", "copy.db", code="schema_newer", exit_code=6)


def test_a_backup_of_another_project_needs_force(lab: Loopx, copied: Path) -> None:
    spoil(copied, "UPDATE meta SET value = 'state_another' WHERE key = 'project_id'")
    lab.refused("restore", "copy.db", code="backup_invalid")
    assert lab.ok("restore", "copy.db", "--force")["state"] == "state_another"


def test_a_missing_file_is_a_usage_error(lab: Loopx) -> None:
    lab.refused("restore", "nowhere.db", exit_code=2)


@pytest.mark.parametrize("damage", [b"", b"no database\n" * 999])
def test_a_destroyed_database_is_set_aside_and_replaced(lab: Loopx, copied: Path, damage: bytes) -> None:
    database_of(lab.root).write_bytes(damage)
    document = lab.ok("restore", "copy.db")
    assert texts(lab) == ["one"]
    assert (lab.root / ".loopx" / "backups" / document["replaced"]).read_bytes() == damage
    assert lab.ok("doctor")["findings"] == []


def test_a_database_that_was_deleted_comes_back(lab: Loopx, copied: Path) -> None:
    database_of(lab.root).unlink()
    assert lab.ok("restore", "copy.db")["replaced"] is None
    assert texts(lab) == ["one"]


def test_a_foreign_edit_of_the_state_is_healed_by_a_restore(lab: Loopx, copied: Path) -> None:
    with foreign_hand(lab.root) as db:
        db.execute("DELETE FROM todos")
        db.execute("DELETE FROM events WHERE sequence < 3")
    lab.ok("restore", "copy.db")
    assert lab.ok("doctor")["findings"] == []


def test_a_restore_leaves_no_file_but_what_it_names(lab: Loopx, copied: Path) -> None:
    before = set(os.listdir(lab.root / ".loopx"))
    lab.ok("restore", "copy.db")
    after = {name for name in os.listdir(lab.root / ".loopx") if not name.endswith(("-wal", "-shm"))}
    assert after - before == {"backups"}


def test_a_backup_from_a_plain_copy_of_the_file_can_be_restored(lab: Loopx) -> None:
    add(lab, "one")
    shutil.copy(database_of(lab.root), lab.root / "plain.db")
    document = lab.ok("restore", "plain.db")
    assert (document["registry_differs"], document["registry_kept"]) == (None, None)
