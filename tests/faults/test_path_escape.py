"""Links and permissions: no file of the state may lead out of the project's folder (S1.5)."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from loopx.core.errors import PathEscapeError
from loopx.core.instant import SECOND
from loopx.store.database import Store
from loopx.store.paths import StatePaths, state_paths, verify_state
from tests.support.fakes import FakeClock, SequenceIds, SequenceTokens

FILES = ("loopx.db", "loopx.db-wal", "loopx.db-shm", "loopx.db-journal", "queue.lock", "write.lock")


def symbolic_link(path: Path, outside: Path) -> None:
    path.symlink_to(outside)


def relative_link(path: Path, outside: Path) -> None:
    path.symlink_to(os.path.relpath(outside, path.parent))


def dangling_link(path: Path, outside: Path) -> None:
    path.symlink_to(outside.with_name("made"))


def hard_link(path: Path, outside: Path) -> None:
    path.hardlink_to(outside)


def folder(path: Path, outside: Path) -> None:
    path.mkdir()


def named_pipe(path: Path, outside: Path) -> None:
    os.mkfifo(path)


PLANTS = [symbolic_link, relative_link, dangling_link, hard_link, folder, named_pipe]


@pytest.fixture
def state(tmp_path: Path) -> Path:
    state = tmp_path / "project" / ".loopx"
    state.mkdir(parents=True)
    (state / "registry.yaml").write_text("version: 1\n", encoding="utf-8")
    return state


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    outside = tmp_path / "outside"
    outside.write_bytes(b"theirs")
    return outside


def new_store(paths: StatePaths) -> Store:
    return Store(paths, clock=FakeClock(), ids=SequenceIds(), tokens=SequenceTokens(), timeout=SECOND)


def test_a_state_of_its_own_files_passes(state: Path) -> None:
    verify_state(state_paths(str(state)))
    for name in FILES:
        (state / name).touch()
    verify_state(state_paths(str(state)))


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("plant", PLANTS)
def test_a_file_that_leads_out_or_is_none_is_refused(
    state: Path, outside: Path, name: str, plant: Callable[[Path, Path], None]
) -> None:
    plant(state / name, outside)
    with pytest.raises(PathEscapeError) as refusal:
        verify_state(state_paths(str(state)))
    assert name in refusal.value.message
    assert refusal.value.exit_code == 6
    assert str(state) not in refusal.value.message


@pytest.mark.parametrize("plant", PLANTS)
def test_neither_a_read_nor_a_write_follows_a_planted_database(
    state: Path, outside: Path, plant: Callable[[Path, Path], None]
) -> None:
    plant(state / "loopx.db", outside)
    store = new_store(state_paths(str(state)))
    with pytest.raises(PathEscapeError):
        store.read(lambda db: db.execute("SELECT 1").fetchone())
    with pytest.raises(PathEscapeError), store.write():
        pass
    assert outside.read_bytes() == b"theirs"
    assert not outside.with_name("made").exists()


def test_a_state_folder_that_is_a_link_is_refused(tmp_path: Path, state: Path) -> None:
    planted = tmp_path / "cloned"
    planted.mkdir()
    (planted / ".loopx").symlink_to(state)
    with pytest.raises(PathEscapeError):
        verify_state(state_paths(str(planted / ".loopx")))


def test_a_project_reached_through_a_link_is_the_real_one(tmp_path: Path, state: Path) -> None:
    (tmp_path / "link").symlink_to(state.parent)
    paths = state_paths(str(tmp_path / "link" / ".loopx"))
    verify_state(paths)
    assert paths.folder == str(state)


def test_the_registry_may_be_a_link(state: Path, outside: Path) -> None:
    (state / "registry.yaml").unlink()
    (state / "registry.yaml").symlink_to(outside)
    verify_state(state_paths(str(state)))


def test_a_state_folder_that_is_not_there_yet_passes(tmp_path: Path) -> None:
    verify_state(state_paths(str(tmp_path / "project" / ".loopx")))


@pytest.mark.parametrize("plant", PLANTS)
def test_what_is_put_in_the_place_of_an_open_database_is_not_followed(
    state: Path, outside: Path, plant: Callable[[Path, Path], None]
) -> None:
    store = new_store(state_paths(str(state)))
    with store.write():
        pass
    store.read(lambda db: db.execute("SELECT 1").fetchone())
    (state / "loopx.db").unlink()
    plant(state / "loopx.db", outside)
    with pytest.raises(PathEscapeError):
        store.read(lambda db: db.execute("SELECT 1").fetchone())
    with pytest.raises(PathEscapeError), store.write():
        pass
    assert outside.read_bytes() == b"theirs"


@pytest.mark.parametrize("name", ["loopx.db-wal", "loopx.db-shm"])
def test_a_database_that_is_opened_anew_is_opened_beside_no_planted_file(state: Path, outside: Path, name: str) -> None:
    store = new_store(state_paths(str(state)))
    with store.write():
        pass
    store.close()
    symbolic_link(state / name, outside)
    with pytest.raises(PathEscapeError), store.write():
        pass
    assert outside.read_bytes() == b"theirs"
