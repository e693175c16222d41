"""One writer at a time, nobody forgotten, one deadline for everything that is waited for (design.md §3).

Which share each process gets is measured, not tested: no test depends on time.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from loopx.core.errors import BusyTimeoutError, PathEscapeError
from loopx.core.instant import SECOND
from loopx.store import lock
from loopx.store.lock import Deadline, Turnstile
from loopx.store.oslock import try_lock
from loopx.store.paths import StatePaths, state_paths
from loopx.store.waiter import Waiter

LONG = 60 * SECOND  # a hang must fail its test, not the suite
LONG_SECONDS = LONG / SECOND
WRITERS, TURNS = 5, 25
SPAWN = multiprocessing.get_context("spawn")


@pytest.fixture
def paths(tmp_path: Path) -> StatePaths:
    return state_paths(str(tmp_path))


def patient(paths: StatePaths) -> Turnstile:
    return Turnstile(paths, timeout_us=LONG)


def is_free(paths: StatePaths, wait: int = 1) -> bool:
    """Whether a writer gets in that waits so many microseconds."""
    try:
        with Turnstile(paths, timeout_us=wait).hold():
            return True
    except BusyTimeoutError:
        return False


def becomes_free(paths: StatePaths) -> bool:
    """Whether a patient writer gets in: one that gave up a moment ago may still let go of what it waited for."""
    return is_free(paths, wait=60_000_000)


# --- processes ---------------------------------------------------------------------------


def write_in_turn(folder: str, start: threading.Barrier) -> None:
    """Raise a number in a file by read and write, and one in a database, both only safe for one at a time."""
    paths = state_paths(folder)
    turnstile = patient(paths)
    counter = Path(folder, "counter")
    with closing(sqlite3.connect(paths.database, isolation_level=None, timeout=0)) as db:
        start.wait(LONG_SECONDS)
        for _ in range(TURNS):
            with turnstile.hold():
                counter.write_text(str(int(counter.read_text()) + 1))
                db.execute("BEGIN IMMEDIATE")
                db.execute("UPDATE counter SET n = n + 1")
                db.execute("COMMIT")


def test_no_turn_of_any_process_is_lost(tmp_path: Path, paths: StatePaths) -> None:
    (tmp_path / "counter").write_text("0")
    with closing(sqlite3.connect(paths.database, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("CREATE TABLE counter (n INTEGER)")
        db.execute("INSERT INTO counter VALUES (0)")
        start = SPAWN.Barrier(WRITERS)
        writers = [SPAWN.Process(target=write_in_turn, args=(str(tmp_path), start)) for _ in range(WRITERS)]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join(LONG_SECONDS)
        assert [writer.exitcode for writer in writers] == [0] * WRITERS
        assert db.execute("SELECT n FROM counter").fetchone() == (WRITERS * TURNS,)
    assert (tmp_path / "counter").read_text() == str(WRITERS * TURNS)


def hold_until_told(folder: str, pipe: Connection) -> None:
    with patient(state_paths(folder)).hold():
        pipe.send("held")
        pipe.recv()
    pipe.send("free")


@contextmanager
def held_elsewhere(folder: Path) -> Iterator[tuple[int, Connection]]:
    """Another process holds the project; its id, and a pipe that ends it."""
    here, there = SPAWN.Pipe()
    process = SPAWN.Process(target=hold_until_told, args=(str(folder), there))
    process.start()
    try:
        assert here.poll(LONG_SECONDS)
        assert here.recv() == "held"
        assert process.pid is not None
        yield process.pid, here
    finally:
        process.kill()
        process.join(LONG_SECONDS)


def test_a_writer_that_waits_too_long_is_told_who_holds_it(tmp_path: Path, paths: StatePaths) -> None:
    with (
        held_elsewhere(tmp_path) as (pid, _),
        pytest.raises(BusyTimeoutError) as refusal,
        Turnstile(paths, timeout_us=1_000).hold(),
    ):
        pass
    assert refusal.value.exit_code == 5
    assert "1ms" in refusal.value.message
    if sys.platform == "linux":
        assert refusal.value.details == {"pid": pid}
        assert f"process {pid}" in refusal.value.message


def test_a_dead_holder_holds_nothing(tmp_path: Path, paths: StatePaths) -> None:
    with held_elsewhere(tmp_path) as (pid, _):
        assert not is_free(paths)
        os.kill(pid, signal.SIGKILL)
        with patient(paths).hold():
            assert not is_free(paths)


def test_a_waiter_gets_in_as_soon_as_the_holder_is_done(
    tmp_path: Path, paths: StatePaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    with held_elsewhere(tmp_path) as (_, pipe):
        take = Waiter.take

        def take_once_released(waiter: Waiter, fds: tuple[int, ...], wait: int) -> bool:
            pipe.send("release")
            return take(waiter, fds, wait)

        monkeypatch.setattr(Waiter, "take", take_once_released)
        with patient(paths).hold():
            assert pipe.poll(LONG_SECONDS)
            assert pipe.recv() == "free"


# --- the queue ---------------------------------------------------------------------------


@contextmanager
def flocked(path: str) -> Iterator[bool]:
    """Lock the file behind everybody's back, if it is free; whether it was."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT)
    try:
        yield try_lock(fd)
    finally:
        os.close(fd)


def test_nobody_passes_by_the_queue(paths: StatePaths, monkeypatch: pytest.MonkeyPatch) -> None:
    awaited: list[os.stat_result] = []

    def look(waiter: Waiter, fds: tuple[int, ...], wait: int) -> bool:
        awaited.extend(os.fstat(fd) for fd in fds)
        return False

    monkeypatch.setattr(Waiter, "take", look)
    with flocked(paths.queue_lock) as taken:
        assert taken
        assert not is_free(paths)
    assert [found.st_ino for found in awaited] == [
        os.stat(path).st_ino for path in (paths.queue_lock, paths.write_lock)
    ]
    assert becomes_free(paths)


def test_who_writes_leaves_the_queue_to_the_next_and_that_one_keeps_it(
    paths: StatePaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bool] = []

    def look(waiter: Waiter, fds: tuple[int, ...], wait: int) -> bool:
        with flocked(paths.queue_lock) as taken:
            seen.append(taken)
        return False

    with patient(paths).hold():
        with flocked(paths.queue_lock) as taken:
            assert taken
        monkeypatch.setattr(Waiter, "take", look)
        assert not is_free(paths)
    assert seen == [False]


# --- threads and nesting -----------------------------------------------------------------


def test_a_second_hold_inside_the_first_is_refused_and_not_a_deadlock(paths: StatePaths) -> None:
    turnstile = Turnstile(paths, timeout_us=1)
    with turnstile.hold(), pytest.raises(BusyTimeoutError), turnstile.hold():
        pass
    assert becomes_free(paths)


def test_a_waiter_that_gave_up_lets_go_at_once_when_its_turn_comes(paths: StatePaths) -> None:
    with patient(paths).hold():
        assert [is_free(paths) for _ in range(3)] == [False] * 3  # three sleepers stay behind
    for _ in range(3):
        with patient(paths).hold():
            pass


def test_threads_of_one_turnstile_keep_each_other_out(paths: StatePaths) -> None:
    turnstile, inside, most = patient(paths), [0], [0]

    def work() -> None:
        for _ in range(TURNS):
            with turnstile.hold():
                inside[0] += 1
                most[0] = max(most[0], inside[0])
                inside[0] -= 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONG_SECONDS)
    assert most == [1]
    assert becomes_free(paths)


def test_an_exception_inside_frees_the_locks(paths: StatePaths) -> None:
    with pytest.raises(KeyboardInterrupt), patient(paths).hold():
        raise KeyboardInterrupt
    assert becomes_free(paths)


def test_a_dropped_turnstile_leaves_no_thread(paths: StatePaths, monkeypatch: pytest.MonkeyPatch) -> None:
    before = set(threading.enumerate())
    take, held = Waiter.take, threading.Event()

    def take_once_released(waiter: Waiter, fds: tuple[int, ...], wait: int) -> bool:
        held.set()
        return take(waiter, fds, wait)

    entered = threading.Event()

    def hold_until_awaited() -> None:
        with patient(paths).hold():
            entered.set()
            held.wait(LONG_SECONDS)

    holder = threading.Thread(target=hold_until_awaited)
    holder.start()
    assert entered.wait(LONG_SECONDS)
    monkeypatch.setattr(Waiter, "take", take_once_released)
    turnstile = patient(paths)
    with turnstile.hold():
        holder.join(LONG_SECONDS)
    (sleeper,) = set(threading.enumerate()) - before
    del turnstile
    sleeper.join(LONG_SECONDS)
    assert not sleeper.is_alive()


def test_a_free_project_needs_no_thread(paths: StatePaths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "_new_waiter", None)
    for _ in range(3):
        with patient(paths).hold():
            pass


# --- files and deadline ------------------------------------------------------------------


def test_a_lock_file_deleted_meanwhile_is_not_mistaken_for_the_lock(
    paths: StatePaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    not_free, times = lock._not_free, [0]

    def delete_first(queue: int, write: int) -> tuple[int, ...]:
        awaited = not_free(queue, write)
        times[0] += 1
        if times[0] == 1:
            os.unlink(paths.write_lock)
        return awaited

    monkeypatch.setattr(lock, "_not_free", delete_first)
    with patient(paths).hold():
        assert not is_free(paths)
    assert becomes_free(paths)


def test_lock_files_that_never_stay_are_given_up_at_the_deadline(
    paths: StatePaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = iter(range(1_000_000))
    monkeypatch.setattr(lock.LockFiles, "are_in_place", lambda files: False)
    turnstile = Turnstile(paths, timeout_us=10 * SECOND, monotonic=lambda: float(next(ticks)))
    with pytest.raises(BusyTimeoutError, match="replaced"), turnstile.hold():
        pass


def test_no_lock_is_inherited_by_a_program_that_is_started(paths: StatePaths) -> None:
    files = lock.LockFiles(paths)
    assert not os.get_inheritable(files.queue)
    assert not os.get_inheritable(files.write)


def test_lock_files_stay_open_for_the_next_write_until_the_turnstile_is_closed(paths: StatePaths) -> None:
    turnstile = patient(paths)
    with turnstile.hold():
        assert not is_free(paths)
    (kept,) = turnstile._open
    assert becomes_free(paths)
    with turnstile.hold():
        assert not is_free(paths)
    assert turnstile._open == [kept]
    turnstile.close()
    assert kept.write == -1
    with turnstile.hold():
        assert not is_free(paths)


@pytest.mark.parametrize("name", ["queue_lock", "write_lock"])
def test_a_lock_file_replaced_between_two_writes_is_opened_anew(paths: StatePaths, name: str) -> None:
    turnstile = patient(paths)
    with turnstile.hold():
        pass
    os.unlink(getattr(paths, name))
    with patient(paths).hold():
        pass  # somebody else makes the file
    with turnstile.hold(), pytest.raises(BusyTimeoutError), Turnstile(paths, timeout_us=0).hold():
        pytest.fail("two writers are inside")


@pytest.mark.parametrize("name", ["queue_lock", "write_lock"])
def test_a_link_put_in_the_place_of_an_open_lock_file_is_refused(paths: StatePaths, tmp_path: Path, name: str) -> None:
    turnstile = patient(paths)
    with turnstile.hold():
        pass
    (tmp_path / "elsewhere").touch()
    os.unlink(getattr(paths, name))
    os.symlink(tmp_path / "elsewhere", getattr(paths, name))
    with pytest.raises(PathEscapeError), turnstile.hold():
        pytest.fail("a link was followed")


def test_what_is_left_of_a_deadline_falls_to_nothing() -> None:
    now = [100.0]
    deadline = Deadline(2 * SECOND, lambda: now[0])
    left = []
    for now[0] in (100.0, 100.5, 102.0, 103.0):
        left.append(deadline.remaining_us())
    assert left == [2 * SECOND, 3 * SECOND // 2, 0, 0]


def test_one_deadline_covers_the_wait_and_what_follows(paths: StatePaths) -> None:
    now = [0.0]
    turnstile = Turnstile(paths, timeout_us=5 * SECOND, monotonic=lambda: now[0])
    with turnstile.hold() as deadline:
        now[0] = 4.0
        assert deadline.remaining_us() == SECOND
