"""A database of the first released schema becomes one of today's, and nothing about the work changes by it (S1.3)."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from loopx.app.decide import Question, should_run
from loopx.app.doctor.examine import examine
from loopx.app.todo_add import add_todo
from loopx.app.todo_new import NewTodo
from loopx.core.digest import sha256_hex
from loopx.core.errors import DatabaseCorruptError, SchemaOlderError
from loopx.store import migrate
from loopx.store.backup_ring import backup_folder
from loopx.store.replay import drifts, past_events, replay, table_state
from loopx.store.upgrade import upgrade
from loopx.system import RandomIds, RandomTokens
from tests.integration.test_store_model import STEP_KINDS, World
from tests.support.project import AGENTS, GOAL, call, database_of, foreign_hand, make_state, open_project

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from loopx.app.mutation import Document
    from loopx.app.project import Project

WALK = 400
Table = list[tuple[object, ...]]


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A project of today with a bit of everything in it."""
    world, draw = World(tmp_path_factory.mktemp("grown")), random.Random(5)
    names = [name for name, (_, weight) in STEP_KINDS.items() for _ in range(weight)]
    for _ in range(WALK):
        name = draw.choice(names)
        getattr(world, name)(*(draw.randrange(256) for _ in range(STEP_KINDS[name][0])))
    yield world
    world.project.close()


@pytest.fixture
def old(grown: World, tmp_path: Path) -> Iterator[Project]:
    """The same project as the first release would have left it."""
    make_state(tmp_path)
    with closing(sqlite3.connect(database_of(tmp_path), isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        for statement in migrate.statements(migrate._script(1)):
            db.execute(statement)
        db.execute("PRAGMA user_version = 1")
        fill(db, grown.project.paths.database)
    project = open_project(tmp_path, clock=grown.clock, ids=RandomIds(), tokens=RandomTokens())
    yield project
    project.close()


def fill(db: sqlite3.Connection, source: str) -> None:
    """Copy every row of what the first schema has; its triggers are silent, as the rows bring what they would do."""
    db.execute("ATTACH ? AS today", (source,))
    triggers = db.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
    for name, _ in triggers:
        db.execute(f"DROP TRIGGER {name}")
    for table in (*tables(db), "sqlite_sequence"):
        columns = ", ".join(row[1] for row in db.execute(f"PRAGMA main.table_info({table})"))
        db.execute(f"DELETE FROM main.{table}")
        db.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM today.{table}")
    for _, sql in triggers:
        db.execute(sql)
    db.execute("DETACH today")


def tables(db: sqlite3.Connection) -> list[str]:
    sql = "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
    return [row[0] for row in db.execute(sql)]


def contents(path: str, names: list[str]) -> dict[str, Table]:
    """All rows of these tables."""
    with closing(sqlite3.connect(path)) as db:
        return {name: sorted(db.execute(f"SELECT * FROM {name}").fetchall(), key=repr) for name in names}


def first_tables(project: Project) -> list[str]:
    with closing(sqlite3.connect(project.paths.database)) as db:
        return [*tables(db), "sqlite_sequence"]


def decisions(project: Project) -> list[Document]:
    return [should_run(project, Question(GOAL, agent)) for agent in AGENTS]


def test_every_row_is_there_after_the_migration_as_before(old: Project) -> None:
    names = first_tables(old)
    before = contents(old.paths.database, names)
    assert min(len(before[name]) for name in ("todos", "events", "claim_tokens", "lapses", "edges")) > 0
    assert upgrade(old.store) is not None
    assert contents(old.paths.database, names) == before


def test_the_migrated_project_decides_as_the_one_that_was_never_old(old: Project, grown: World) -> None:
    upgrade(old.store)
    assert decisions(old) == decisions(grown.project)


def test_doctor_has_nothing_to_say_of_a_migrated_project_that_it_does_not_say_of_any(
    old: Project, grown: World
) -> None:
    upgrade(old.store)
    kinds = [{finding.code for finding in examine(one, lambda _: None).findings} for one in (old, grown.project)]
    assert kinds[0] <= kinds[1]


def test_work_goes_on_after_the_migration_where_it_stood(old: Project) -> None:
    upgrade(old.store)
    with closing(sqlite3.connect(old.paths.database)) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        (newest,) = db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'todos'").fetchone()
    added = add_todo(old, call("todo_added"), NewTodo(text="after"))
    assert added["todo"]["sequence"] == newest + 1
    told = old.store.read(lambda db: drifts(replay(past_events(db)), table_state(db)))
    assert told == []


def test_the_old_database_is_refused_until_it_is_migrated_and_is_backed_up_first(old: Project) -> None:
    with pytest.raises(SchemaOlderError):
        decisions(old)
    name = upgrade(old.store)
    assert name is not None
    with closing(sqlite3.connect(f"{backup_folder(old.paths)}/{name}")) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (1,)


def test_a_database_with_rows_that_refer_to_nothing_is_left_as_it_is(old: Project, tmp_path: Path) -> None:
    with foreign_hand(tmp_path) as db:
        db.execute("DELETE FROM claim_tokens")
    before = digest(old)
    with pytest.raises(DatabaseCorruptError, match="refers to a row of claim_tokens"):
        upgrade(old.store)
    assert digest(old) == before


def digest(project: Project) -> tuple[int, str]:
    with closing(sqlite3.connect(project.paths.database)) as db:
        (version,) = db.execute("PRAGMA user_version").fetchone()
        return version, sha256_hex("\n".join(db.iterdump()).encode())


def test_two_todos_never_have_the_same_token_and_none_has_one_that_was_not_issued_for_it(
    old: Project, tmp_path: Path
) -> None:
    upgrade(old.store)
    with foreign_hand(tmp_path) as db:
        (token,) = db.execute("SELECT token FROM claim_tokens LIMIT 1").fetchone()
        lease = (
            "lease_id = 'x', lease_holder = 'ann', lease_acquired_at = 1, lease_expires_at = 2,"
            " lease_write_scopes = '[]'"
        )
        (other,) = db.execute(
            "SELECT todo_id FROM todos WHERE status = 'open' AND todo_id NOT IN"
            " (SELECT todo_id FROM claim_tokens WHERE token = ?)",
            (token,),
        ).fetchone()
        for value in (token, "never-issued"):
            with pytest.raises(sqlite3.IntegrityError, match="not issued for this todo"):
                db.execute(f"UPDATE todos SET {lease}, claim_token = ? WHERE todo_id = ?", (value, other))
