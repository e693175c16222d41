"""`status --watch`: drawn again when something changed, at rest while nothing does."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from loopx.app.page import Page
from loopx.app.project import Project
from loopx.app.status import read_status
from loopx.app.todo_add import add_todo
from loopx.app.todo_claim import claim_todo
from loopx.app.todo_new import NewTodo
from loopx.app.watch import DEFAULT_INTERVAL, REREAD, Watch, watch_document
from loopx.core.instant import MINUTE, SECOND, Duration
from loopx.store.connection import Connection
from tests.support.cli import COMMAND, Loopx, clean_environment
from tests.support.fakes import FakeClock, SequenceIds
from tests.support.project import GOAL, call, make_state, open_project, opened


class Nights:
    """A sleeper that moves the clock, and at whose naps, counted from 1, something happens."""

    def __init__(self, clock: FakeClock, events: dict[int, Callable[[], object]]) -> None:
        self.clock, self.events = clock, events
        self.naps: list[Duration] = []

    def sleep(self, duration: Duration) -> None:
        self.naps.append(duration)
        self.clock.advance(duration)
        self.events.get(len(self.naps), lambda: None)()


@pytest.fixture
def project(tmp_path: Path, clock: FakeClock) -> Iterator[Project]:
    make_state(tmp_path)
    project = open_project(tmp_path, clock=clock)
    yield project
    project.close()


def watched(project: Project, nights: Nights, limit: Duration) -> list[int]:
    """How many todos are open in each status that was shown."""
    watch = Watch(SECOND, limit)
    shown = watch_document(project, lambda: read_status(project, GOAL, Page()), watch, sleeper=nights)
    return [status["goals"][0]["counts"]["open"] for status in shown]


def peer_adds(root: Path, clock: FakeClock, ids: SequenceIds) -> Callable[[], object]:
    def add() -> None:
        with opened(root, clock=clock, ids=ids) as other:
            add_todo(other, call("todo_added"), NewTodo(text="more"))

    return add


def test_each_change_of_another_process_is_shown_once(
    project: Project, tmp_path: Path, clock: FakeClock, ids: SequenceIds
) -> None:
    add = peer_adds(tmp_path, clock, ids)
    nights = Nights(clock, {2: add, 3: add})
    assert watched(project, nights, 9 * SECOND) == [0, 1, 2]
    assert nights.naps == [SECOND] * 9


def test_the_first_write_of_a_fresh_clone_is_seen(
    project: Project, tmp_path: Path, clock: FakeClock, ids: SequenceIds
) -> None:
    assert not (tmp_path / ".loopx" / "loopx.db").exists()
    assert watched(project, Nights(clock, {1: peer_adds(tmp_path, clock, ids)}), 2 * SECOND) == [0, 1]


def test_nothing_is_read_while_nothing_changes(
    project: Project, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_todo(project, call("todo_added"), NewTodo(text="work"))
    reads: list[object] = []
    read = project.store.read

    def counted(query: Callable[[Connection], object]) -> object:
        reads.append(query)
        return read(query)

    monkeypatch.setattr(project.store, "read", counted)
    assert watched(project, Nights(clock, {}), MINUTE) == [1]
    assert len(reads) <= 2 + MINUTE // REREAD


def test_what_time_alone_changes_is_seen_without_a_write(project: Project, clock: FakeClock) -> None:
    todo = add_todo(project, call("todo_added"), NewTodo(text="work"))["todo"]["todo_id"]
    claim_todo(project, call("todo_claimed", "ann"), todo, 3 * SECOND)
    shown = watch_document(
        project, lambda: read_status(project, GOAL, Page()), Watch(SECOND, 2 * REREAD), sleeper=Nights(clock, {})
    )
    assert [status["goals"][0]["work"][0]["held"] for status in shown] == ["claimed", "stale"]


def test_a_database_that_is_put_back_from_a_copy_is_read_anew(
    project: Project, tmp_path: Path, clock: FakeClock, ids: SequenceIds
) -> None:
    database, copy = tmp_path / ".loopx" / "loopx.db", tmp_path / "copy.db"
    peer_adds(tmp_path, clock, ids)()
    shutil.copy(database, copy)
    peer_adds(tmp_path, clock, ids)()
    assert watched(project, Nights(clock, {1: lambda: os.replace(copy, database)}), 2 * SECOND) == [2, 1]


def test_a_hand_edit_of_the_registry_is_shown(project: Project, tmp_path: Path, clock: FakeClock) -> None:
    registry = tmp_path / ".loopx" / "registry.yaml"

    def edit() -> None:
        registry.write_text(registry.read_text().replace("Find out", "Find out more"))

    shown = watch_document(
        project, lambda: read_status(project, GOAL, Page()), Watch(SECOND, 3 * SECOND), sleeper=Nights(clock, {1: edit})
    )
    assert [status["goals"][0]["objective"] for status in shown] == ["Find out", "Find out more"]


def test_json_mode_refuses_to_watch(inside: Loopx) -> None:
    make_state(inside.root)
    inside.refused("status", "--watch", code="usage", exit_code=2)


@pytest.mark.parametrize("option", ["--interval", "--for"])
def test_an_option_of_the_watch_alone_is_refused(inside: Loopx, option: str) -> None:
    make_state(inside.root)
    inside.refused("status", option, "1s", code="usage", exit_code=2)


def test_a_busy_interval_is_refused(loopx: Loopx) -> None:
    make_state(loopx.root)
    answer = loopx.text("status", "--watch", "--interval", "1ms", "--for", "1s")
    assert (answer.code, answer.out) == (2, "")
    assert "busy loop" in answer.err


def test_a_bounded_watch_shows_the_status_and_ends_well(loopx: Loopx) -> None:
    make_state(loopx.root)
    answer = loopx.text("status", "--watch", "--for", "1ms")
    assert answer.code == 0
    moment, rest = answer.out.split("\n", 1)
    assert moment.endswith("Z")
    assert rest == loopx.text("status").out
    assert "\x1b" not in answer.out


def test_an_interrupt_ends_it_with_130(tmp_path: Path) -> None:
    make_state(tmp_path)
    argv = [COMMAND, "status", "--watch", "--interval", "1h"]
    with subprocess.Popen(argv, cwd=tmp_path, env=clean_environment(), stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        first = process.stdout.readline()  # the first status is on its way: it watches now
        process.send_signal(signal.SIGINT)
        process.stdout.read()
        assert process.wait(timeout=30) == 130
    assert first.endswith(b"Z\n")


def test_the_default_interval_is_no_busy_loop() -> None:
    assert DEFAULT_INTERVAL >= SECOND
