"""Torn write: a process that dies at any instant leaves the old state or the new one, never half (S1.6)."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import settings

from loopx.store.events import COLUMNS, FIRST_DIGEST, digest_of
from loopx.store.recount import miscounts
from loopx.store.replay import drifts, past_events, replay, table_state
from tests.support.crew import complete, depend
from tests.support.project import database_of, make_state, opened, seeded

KILLS = 100 if settings().max_examples > 1_000 else 12
MOST_LINES = 6  # how far a writer gets before it dies; with none, the making of the database is hit

WRITER = """
import sys
from pathlib import Path
from tests.support.crew import add, claim, complete
from tests.support.project import opened
with opened(Path(sys.argv[1])) as project:
    print("begun", flush=True)
    while True:
        todo = add(project, text="work")["todo"]["todo_id"]
        claim(project, todo=todo, agent="ann")
        complete(project, todo=todo, agent="ann")
        print(todo, flush=True)
"""


def killed_writer(root: Path, lines: int) -> list[str]:
    """The ids that a writer said it had completed before it was killed, some time after so many of them."""
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(root)],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        said = [process.stdout.readline() for _ in range(lines)]
        process.send_signal(signal.SIGKILL)
        return [*said, *process.stdout]


def assert_whole(root: Path) -> None:
    """Sound pages, an unbroken chain, and tables that are what the history says."""
    with closing(sqlite3.connect(database_of(root))) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []
        previous = FIRST_DIGEST
        for place, row in enumerate(db.execute(f"SELECT {COLUMNS} FROM events ORDER BY sequence"), start=1):
            assert (row[0], row[-2]) == (place, previous)
            assert digest_of(row[:-1]) == row[-1]
            previous = row[-1]
        assert drifts(replay(past_events(db)), table_state(db)) == []
        assert miscounts(db) == []


def test_a_writer_killed_at_any_instant_leaves_a_whole_state_and_what_it_said_was_done(tmp_path: Path) -> None:
    make_state(tmp_path)
    draw = random.Random(1)
    said: set[str] = set()
    for _ in range(KILLS):
        said |= {line.strip() for line in killed_writer(tmp_path, draw.randrange(MOST_LINES))}
        seeded(tmp_path, 1)  # nobody waits for the dead: the next write goes through
        assert_whole(tmp_path)
    assert said, "no writer lived long enough to finish anything"
    with opened(tmp_path) as project:
        done = "SELECT todo_id FROM todos WHERE status = 'done'"
        stored = {row[0] for row in project.read(lambda snapshot: snapshot.db.execute(done).fetchall())}
    assert said <= stored, "a success was told before it was on the disk"


@pytest.mark.parametrize("statement", ["INSERT INTO todos", "UPDATE todos", "INSERT INTO events", "COMMIT"])
def test_a_fault_at_any_statement_of_a_verb_changes_nothing(tmp_path: Path, statement: str) -> None:
    make_state(tmp_path)
    one, two = seeded(tmp_path, 2)
    with opened(tmp_path) as project:
        depend(project, todo=two, on=one, agent="ann")
        before = project.read(lambda snapshot: table_state(snapshot.db))
        assert project.embedded._writer is not None
        project.embedded._writer.close()
        project.embedded._writer = failing_connection(database_of(tmp_path), statement)
        with pytest.raises(sqlite3.IntegrityError):
            complete(project, todo=one, agent="ann", then="more")
        assert project.read(lambda snapshot: table_state(snapshot.db)) == before
    assert_whole(tmp_path)


class Failing(sqlite3.Connection):
    """A connection on which the first statement that begins in a certain way fails."""

    beginning = ""

    def execute(self, sql: str, *values: object) -> sqlite3.Cursor:
        if self.beginning and sql.startswith(self.beginning):
            raise sqlite3.IntegrityError("planted")
        return super().execute(sql, *values)  # type: ignore[arg-type]


def failing_connection(database: Path, statement: str) -> sqlite3.Connection:
    db = sqlite3.connect(database, isolation_level=None, factory=Failing)
    assert isinstance(db, Failing)
    db.execute("PRAGMA foreign_keys = ON")
    db.beginning = statement
    return db
