"""Editing the registry file: nothing lost, nothing half written, nothing beside the edit changed."""

from __future__ import annotations

import multiprocessing
import os
import stat
from pathlib import Path

import pytest

from loopx.core.digest import sha256_hex
from loopx.core.errors import (
    BusyTimeoutError,
    DiskFullError,
    NameTakenError,
    PathEscapeError,
    ReadOnlyError,
    RegistryInvalidError,
    StorageError,
)
from loopx.core.goal import GoalState
from loopx.core.instant import MILLISECOND, MINUTE, SECOND
from loopx.registry.document import RegistryDocument
from loopx.registry.read import parse_registry
from loopx.registry.write import LOCK_SUFFIX, edit_registry
from tests.support.unprivileged import public_folder, unprivileged

TEXT = "# mine\nversion: 1\ngoals:\n  - id: g   # its id\n    objective: 'Reach it'\n# the end\n"


@pytest.fixture
def registry(tmp_path: Path) -> Path:
    path = tmp_path / "state" / "registry.yaml"
    path.parent.mkdir()
    path.write_bytes(TEXT.encode())
    return path


def close_goal(document: RegistryDocument) -> None:
    document.set_goal_state("g", GoalState.CLOSED)


def edit(path: Path) -> str:
    return edit_registry(str(path), close_goal, timeout_us=SECOND).after_sha256


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_an_edit_lands_and_tells_both_digests(registry: Path) -> None:
    done = edit_registry(str(registry), close_goal, timeout_us=SECOND)

    assert done.before_sha256 == sha256_hex(TEXT.encode())
    assert done.after_sha256 == sha256_hex(registry.read_bytes())
    assert done.registry == parse_registry(registry.read_bytes(), source="r")
    assert registry.read_text() == TEXT.replace("it'\n", "it'\n    state: closed\n")
    assert names(registry.parent) == ["registry.yaml", "registry.yaml" + LOCK_SUFFIX]


def test_an_edit_that_changes_nothing_writes_nothing(registry: Path) -> None:
    edit(registry)
    before = registry.stat()

    done = edit_registry(str(registry), close_goal, timeout_us=SECOND)

    assert done.before_sha256 == done.after_sha256
    assert (registry.stat().st_ino, registry.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_dry_run_answers_and_leaves_no_trace(registry: Path) -> None:
    done = edit_registry(str(registry), close_goal, timeout_us=SECOND, dry_run=True)

    assert done.registry.goals[0].state is GoalState.CLOSED
    assert registry.read_text() == TEXT
    assert names(registry.parent) == ["registry.yaml"]


# --- links, modes, encodings -------------------------------------------------------------


def test_a_symbolic_link_stays_one_and_its_target_is_written(tmp_path: Path, registry: Path) -> None:
    target = tmp_path / "elsewhere" / "mine.yaml"
    target.parent.mkdir()
    registry.rename(target)
    registry.symlink_to(os.path.relpath(target, registry.parent))

    edit(registry)

    assert registry.is_symlink()
    assert "state: closed" in target.read_text()
    assert names(target.parent) == ["mine.yaml"]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_the_permissions_stay(registry: Path, mode: int) -> None:
    registry.chmod(mode)
    edit(registry)

    assert stat.S_IMODE(registry.stat().st_mode) == mode


def test_line_ends_and_byte_order_mark_stay(registry: Path) -> None:
    registry.write_bytes(b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode())
    edit(registry)
    data = registry.read_bytes()

    assert data == b"\xef\xbb\xbf" + TEXT.replace("it'\n", "it'\n    state: closed\n").replace("\n", "\r\n").encode()


def test_a_write_protected_registry_is_not_replaced() -> None:
    with public_folder() as folder:
        registry = folder / "registry.yaml"
        registry.write_text(TEXT)
        registry.chmod(0o444)
        folder.chmod(0o777)
        with unprivileged(), pytest.raises(ReadOnlyError):
            edit(registry)
        assert registry.read_text() == TEXT


# --- a corrupt file is never read as empty -----------------------------------------------


@pytest.mark.parametrize("length", range(0, len(TEXT), 7))
def test_a_truncated_file_is_never_written_over_by_fewer_goals(registry: Path, length: int) -> None:
    registry.write_bytes(TEXT.encode()[:length])
    try:
        edit(registry)
    except RegistryInvalidError:
        assert registry.read_bytes() == TEXT.encode()[:length]
    else:
        assert parse_registry(registry.read_bytes(), source="r").goals[0].goal_id == "g"


def test_an_edit_that_would_break_the_file_writes_nothing(registry: Path) -> None:
    with pytest.raises(RegistryInvalidError):
        edit_registry(str(registry), lambda d: d.set_pool("g", "gpu", -1), timeout_us=SECOND)
    assert registry.read_text() == TEXT


def test_a_refused_change_writes_nothing_and_frees_the_lock(registry: Path) -> None:
    with pytest.raises(NameTakenError):
        edit_registry(str(registry), lambda d: d.add_goal("g", "again"), timeout_us=SECOND)
    assert registry.read_text() == TEXT
    edit(registry)


def test_a_missing_registry_is_a_storage_fault_and_is_not_made(registry: Path) -> None:
    registry.unlink()

    with pytest.raises(StorageError):
        edit(registry)
    assert not registry.exists()


# --- torn writes -------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "call"), [("fsync", 1), ("write", 1), ("replace", 1)])
def test_a_disk_fault_leaves_the_old_bytes_and_no_leftovers(
    registry: Path, monkeypatch: pytest.MonkeyPatch, name: str, call: int
) -> None:
    def fail(*args: object, **named: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, name, fail)
        with pytest.raises(DiskFullError):
            edit(registry)

    assert registry.read_text() == TEXT
    assert [found for found in names(registry.parent) if not found.endswith(LOCK_SUFFIX)] == ["registry.yaml"]
    edit(registry)


# --- locks -------------------------------------------------------------------------------


def test_a_held_lock_is_waited_for_until_the_deadline(registry: Path) -> None:
    def nested(document: RegistryDocument) -> None:
        with pytest.raises(BusyTimeoutError, match=r"registry\.yaml"):
            edit_registry(str(registry), close_goal, timeout_us=50 * MILLISECOND)

    edit_registry(str(registry), nested, timeout_us=SECOND)
    assert registry.read_text() == TEXT


@pytest.mark.parametrize("kind", ["folder", "pipe", "link"])
def test_a_lock_path_that_is_no_regular_file_is_refused(tmp_path: Path, registry: Path, kind: str) -> None:
    lock = Path(f"{registry}{LOCK_SUFFIX}")
    if kind == "folder":
        lock.mkdir()
    elif kind == "pipe":
        os.mkfifo(lock)
    else:
        lock.symlink_to(tmp_path / "outside")

    with pytest.raises(PathEscapeError):
        edit(registry)
    assert registry.read_text() == TEXT
    assert not (tmp_path / "outside").exists()


def test_a_leftover_lock_file_holds_nobody_up(registry: Path) -> None:
    Path(f"{registry}{LOCK_SUFFIX}").write_text("12345 a dead process\n")

    assert edit(registry) == sha256_hex(registry.read_bytes())


# --- lost updates ------------------------------------------------------------------------

PROCESSES, EDITS = 3, 5


def _register_agents(path: str, worker: int, barrier: object) -> None:
    barrier.wait(timeout=60)  # type: ignore[attr-defined]
    for number in range(EDITS):
        agent = f"agent-{worker}-{number}"
        edit_registry(path, lambda d, agent=agent: d.register_agent("g", agent), timeout_us=MINUTE)  # type: ignore[misc]


def test_processes_that_edit_at_once_lose_no_update(registry: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    barrier = spawn.Barrier(PROCESSES)
    workers = [
        spawn.Process(target=_register_agents, args=(str(registry), worker, barrier)) for worker in range(PROCESSES)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(timeout=120)

    assert [worker.exitcode for worker in workers] == [0] * PROCESSES
    agents = parse_registry(registry.read_bytes(), source="r").goals[0].agents
    assert {agent.agent_id for agent in agents} == {
        f"agent-{worker}-{number}" for worker in range(PROCESSES) for number in range(EDITS)
    }
    assert names(registry.parent) == ["registry.yaml", "registry.yaml" + LOCK_SUFFIX]
