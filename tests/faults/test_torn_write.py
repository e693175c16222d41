"""Torn write: a file is replaced whole or not at all, and keeps its link and its permissions."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from loopx.core.errors import DiskFullError, ReadOnlyError, StorageFaultError
from loopx.files import storage_error, write_atomically
from tests.support.unprivileged import public_folder, unprivileged


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "registry.yaml"
    file.write_bytes(b"old")
    return file


def mode(file: Path) -> int:
    return file.stat().st_mode & 0o777


def test_the_new_bytes_are_there_and_nothing_else(file: Path) -> None:
    write_atomically(str(file), b"new")
    assert file.read_bytes() == b"new"
    assert list(file.parent.iterdir()) == [file]


@pytest.mark.parametrize("call", ["write", "fsync", "replace"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO])
def test_a_fault_at_any_step_leaves_the_old_bytes_alone(
    file: Path, monkeypatch: pytest.MonkeyPatch, call: str, number: int
) -> None:
    def fail(*args: object) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, call, fail)
    with pytest.raises(DiskFullError if number == errno.ENOSPC else StorageFaultError):
        write_atomically(str(file), b"new")
    monkeypatch.undo()
    assert file.read_bytes() == b"old"
    assert list(file.parent.iterdir()) == [file]


def test_the_bytes_are_on_the_disk_before_their_name_and_that_before_success(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    fsync, replace = os.fsync, os.replace

    def noted_fsync(fd: int) -> None:
        calls.append(f"fsync {'folder' if os.path.isdir(f'/proc/self/fd/{fd}') else 'file'}")
        fsync(fd)

    def noted_replace(source: str, target: str) -> None:
        calls.append("rename")
        replace(source, target)

    monkeypatch.setattr(os, "fsync", noted_fsync)
    monkeypatch.setattr(os, "replace", noted_replace)
    write_atomically(str(file), b"new")
    assert calls == ["fsync file", "rename", "fsync folder"]


def test_a_disk_that_takes_a_part_at_a_time_gets_all(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: write(fd, bytes(data)[:2]))
    write_atomically(str(file), b"longer text")
    assert file.read_bytes() == b"longer text"


def test_a_link_is_kept_and_its_target_written(file: Path, tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    target = file.rename(tmp_path / "shared" / "goals.yaml")
    file.symlink_to(target)
    write_atomically(str(file), b"new")
    assert file.is_symlink()
    assert target.read_bytes() == b"new"
    assert list(target.parent.iterdir()) == [target]


def test_permissions_are_kept_and_a_new_file_obeys_the_umask(file: Path, tmp_path: Path) -> None:
    file.chmod(0o604)
    before = os.umask(0o027)
    try:
        write_atomically(str(file), b"new")
        write_atomically(str(tmp_path / "fresh"), b"new")
        write_atomically(str(tmp_path / "secret"), b"new", mode=0o600)
    finally:
        os.umask(before)
    assert [mode(path) for path in (file, tmp_path / "fresh", tmp_path / "secret")] == [0o604, 0o640, 0o600]


def test_a_leftover_of_a_crash_is_in_nobodys_way(file: Path) -> None:
    leftover = file.with_name(f".{file.name}.{os.getpid()}-0.new")
    leftover.write_bytes(b"half")
    write_atomically(str(file), b"new")
    assert file.read_bytes() == b"new"
    assert leftover.read_bytes() == b"half"


def test_a_folder_that_takes_no_files_is_read_only() -> None:
    with public_folder() as folder:
        folder.chmod(0o555)
        with unprivileged(), pytest.raises(ReadOnlyError):
            write_atomically(str(folder / "registry.yaml"), b"new")


def test_an_error_names_the_file_and_never_its_folder() -> None:
    for number in (errno.ENOSPC, errno.EACCES, errno.ENOENT, errno.EIO):
        error = storage_error(OSError(number, os.strerror(number)), "/home/somebody/.loopx/registry.yaml")
        assert "registry.yaml" in error.message
        assert "somebody" not in error.message
