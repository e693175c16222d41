"""Asking never writes: the bytes stay, a read-only folder will do, and a writer keeps nobody waiting."""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from loopx.store.database import Store
from tests.support.cli import Loopx
from tests.support.unprivileged import public_folder, unprivileged

QUESTIONS = [
    ("quota", "should-run", "--agent-id", "agent-a"),
    ("quota", "should-run", "--agent-id", "agent-a", "--explain"),
    ("quota", "should-run", "--agent-id", "agent-b", "--available-capability", "shell"),
    ("quota", "status"),
    ("todo", "list", "--full"),
    ("todo", "list", "--runnable-for", "agent-a"),
    ("gate", "list"),
    ("inbox",),
    ("status",),
    ("log",),
    ("goal", "show"),
    ("task-lease", "list"),
    ("where",),
]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project in which every kind of todo has something to say."""
    loopx = Loopx(tmp_path_factory.mktemp("template"), in_process=True)
    scope = "direction:action:route"
    loopx.ok("init", "--goal-id", "lab", "--objective", "Ask", "--agent", "agent-a", "--agent", "agent-b")
    gated = loopx.ok("todo", "add", "--text", "[P0] Gated", "--required-decision-scope", scope)["todo"]["todo_id"]
    gate = ("--role", "user", "--task-class", "user_gate", "--decision-scope", scope, "--blocks-agent", "agent-a")
    loopx.ok("todo", "add", "--text", "Which way?", *gate, "--unblocks-todo-id", gated)
    loopx.ok("todo", "add", "--text", "[P1] Free", "--required-capability", "shell")
    loopx.ok("todo", "add", "--text", "Sleeps", "--status", "deferred", "--resume-when", "in:1h")
    loopx.ok("todo", "add", "--text", "Watch", "--task-class", "continuous_monitor", "--poll-every", "1h")
    loopx.ok("todo", "claim-next", "--agent-id", "agent-b", "--available-capability", "shell", "--lease-ttl", "1ms")
    return loopx.root


@pytest.fixture
def lab(template: Path, tmp_path: Path) -> Loopx:
    shutil.copytree(template / ".loopx", tmp_path / ".loopx")
    return Loopx(tmp_path, in_process=True)


def digest(folder: Path) -> str:
    """Of the database as SQLite would read it: the file, and what its log adds."""
    names = ("loopx.db", "loopx.db-wal")
    return hashlib.sha256(b"".join((folder / n).read_bytes() for n in names if (folder / n).exists())).hexdigest()


@pytest.mark.parametrize("question", QUESTIONS, ids=" ".join)
def test_a_question_leaves_every_byte_as_it_is(lab: Loopx, question: tuple[str, ...]) -> None:
    state = lab.root / ".loopx"
    before = digest(state)
    lab.call(*question)
    assert digest(state) == before


@pytest.fixture
def read_only(lab: Loopx) -> Iterator[Loopx]:
    """The same project where nobody may write: no -wal, folder and files protected."""
    with public_folder() as folder:
        shutil.copytree(lab.root / ".loopx", folder / ".loopx")
        state = folder / ".loopx"
        with closing(sqlite3.connect(state / "loopx.db")) as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for path in state.iterdir():
            path.chmod(0o444)
        state.chmod(0o555)
        yield Loopx(folder, in_process=True)
        state.chmod(0o755)


@pytest.mark.parametrize("question", QUESTIONS, ids=" ".join)
def test_a_read_only_folder_answers_and_stays_untouched(read_only: Loopx, question: tuple[str, ...]) -> None:
    state = read_only.root / ".loopx"
    names = sorted(path.name for path in state.iterdir())
    with unprivileged():
        answer = read_only.call(*question)
    assert answer.code == 0, answer
    assert sorted(path.name for path in state.iterdir()) == names


def test_a_write_to_a_read_only_folder_is_refused_as_such(read_only: Loopx) -> None:
    with unprivileged():
        read_only.refused("todo", "add", "--text", "no room", code="read_only", exit_code=6)


@pytest.mark.parametrize("question", QUESTIONS, ids=" ".join)
def test_a_writer_in_the_middle_of_its_work_keeps_no_reader_waiting(lab: Loopx, question: tuple[str, ...]) -> None:
    with closing(sqlite3.connect(lab.root / ".loopx" / "loopx.db", isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("UPDATE todos SET text = 'half done'")
        document = lab.call(*question)
        assert document.code == 0, document
        assert "half done" not in document.out
        writer.execute("ROLLBACK")


def test_a_hundred_decisions_are_one_and_the_same(inside: Loopx, monkeypatch: pytest.MonkeyPatch) -> None:
    inside.ok("init", "--goal-id", "lab", "--objective", "Ask", "--agent", "agent-a")
    inside.ok("todo", "add", "--text", "work")
    monkeypatch.setattr(Store, "write", None)  # a question that tried to write would fail here
    first = inside.ok("quota", "should-run", "--agent-id", "agent-a")
    assert all(inside.ok("quota", "should-run", "--agent-id", "agent-a") == first for _ in range(100))
