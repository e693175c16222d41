"""Stale or odd lock: only a regular file of the state folder is a lock, and the disk's faults have names."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from loopx.core.errors import DiskFullError, LoopxError, PathEscapeError, ReadOnlyError, StorageFaultError
from loopx.core.instant import SECOND
from loopx.store.lock import Turnstile
from loopx.store.paths import StatePaths, state_paths
from tests.support.unprivileged import public_folder, unprivileged

LOCKS = ("queue.lock", "write.lock")


def folder(path: Path, outside: Path) -> None:
    path.mkdir()


def named_pipe(path: Path, outside: Path) -> None:
    os.mkfifo(path)


def symbolic_link(path: Path, outside: Path) -> None:
    path.symlink_to(outside)


def dangling_link(path: Path, outside: Path) -> None:
    path.symlink_to(outside.with_name("made"))


def hard_link(path: Path, outside: Path) -> None:
    path.hardlink_to(outside)


def listening_socket(path: Path, outside: Path) -> None:
    here = os.open(path.parent, os.O_RDONLY)  # the address of a socket is short: go by the folder
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"/proc/self/fd/{here}/{path.name}")
    os.close(here)


@pytest.fixture
def paths(tmp_path: Path) -> StatePaths:
    state = tmp_path / ".loopx"
    state.mkdir()
    return state_paths(str(state))


def enter(paths: StatePaths) -> None:
    with Turnstile(paths, timeout_us=SECOND).hold():
        pass


@pytest.mark.parametrize("name", LOCKS)
@pytest.mark.parametrize("plant", [folder, named_pipe, symbolic_link, dangling_link, hard_link, listening_socket])
def test_a_lock_that_is_no_file_of_its_own_is_refused(
    tmp_path: Path, paths: StatePaths, name: str, plant: Callable[[Path, Path], None]
) -> None:
    outside = tmp_path / "outside"
    outside.write_text("theirs")
    plant(Path(paths.folder, name), outside)
    with pytest.raises(PathEscapeError) as refusal:
        enter(paths)
    assert name in refusal.value.message
    assert outside.read_text() == "theirs"
    assert not (tmp_path / "made").exists()


def test_a_leftover_lock_file_is_no_lock(paths: StatePaths) -> None:
    for name in LOCKS:
        Path(paths.folder, name).write_text("4711 somewhere\n")
    enter(paths)
    assert Path(paths.write_lock).read_text() == "4711 somewhere\n"


def test_no_lock_is_made_behind_a_linked_state_folder(tmp_path: Path) -> None:
    (tmp_path / "victim").mkdir()
    (tmp_path / ".loopx").symlink_to(tmp_path / "victim")
    with pytest.raises(PathEscapeError):
        enter(state_paths(str(tmp_path / ".loopx")))
    assert not list((tmp_path / "victim").iterdir())


def test_a_folder_that_takes_no_files_is_read_only() -> None:
    with public_folder() as folder:
        folder.chmod(0o555)
        with unprivileged(), pytest.raises(ReadOnlyError):
            enter(state_paths(str(folder)))
        assert not list(folder.iterdir())


def test_a_missing_state_folder_is_told_and_not_made(tmp_path: Path) -> None:
    with pytest.raises(StorageFaultError, match="missing"):
        enter(state_paths(str(tmp_path / ".loopx")))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (errno.ENOSPC, DiskFullError),
        (errno.EDQUOT, DiskFullError),
        (errno.EROFS, ReadOnlyError),
        (errno.EACCES, ReadOnlyError),
        (errno.EIO, StorageFaultError),
        (errno.ENOLCK, StorageFaultError),
    ],
)
@pytest.mark.parametrize("call", ["os.open", "fcntl.flock"])
def test_a_fault_of_the_disk_is_told_by_its_kind(
    paths: StatePaths, monkeypatch: pytest.MonkeyPatch, number: int, kind: type[LoopxError], call: str
) -> None:
    def fail(*args: object) -> int:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as broken:
        broken.setattr(call, fail)
        with pytest.raises(kind):
            enter(paths)
    enter(paths)


def test_the_umask_decides_who_may_share_the_locks(paths: StatePaths) -> None:
    before = os.umask(0o027)
    try:
        enter(paths)
    finally:
        os.umask(before)
    assert [os.stat(Path(paths.folder, name)).st_mode & 0o777 for name in LOCKS] == [0o640, 0o640]


def test_a_refusal_leaves_no_file_open(paths: StatePaths) -> None:
    Path(paths.write_lock).mkdir()
    open_before = set(os.listdir("/proc/self/fd"))
    with pytest.raises(PathEscapeError):
        enter(paths)
    assert set(os.listdir("/proc/self/fd")) == open_before
