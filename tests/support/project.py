"""A project folder made without `init`, for tests of what comes after it.

`make_state` writes only the registry, which is a whole project (a fresh clone); `open_project` gives
the object that every use case works on, under a clock, ids and tokens that the test decides.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from loopx.app.mutation import Call
from loopx.app.project import Project
from loopx.app.todo_add import add_todo
from loopx.app.todo_new import NewTodo
from loopx.core.actor import Actor, ActorKind
from loopx.core.layout import DATABASE_FILE, REGISTRY_FILE, STATE_FOLDER
from loopx.store.connection import Connection
from loopx.store.postgres.connection import connect
from loopx.system import RandomIds, RandomTokens, SystemClock
from loopx.workspace.discovery import FoundBy, Location
from tests.support import engine
from tests.support.fakes import FakeClock, SequenceIds, SequenceTokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from typing import Any

    from loopx.ports import Clock, IdSource, TokenSource

GOAL = "lab"
AGENTS = ("ann", "bob", "cy")
DELEGATE = "cy"  # may complete, reassign and supersede what peers hold
POOL = "gpu"

REGISTRY = f"""\
version: 1
goals:
  - id: {GOAL}
    objective: Find out
    state: active
    coordination:
      agent_model: peer_v1
      agents:
        - {{id: ann}}
        - {{id: bob}}
        - {{id: cy}}
      todo_lifecycle_authority:
        - {{agent_id: {DELEGATE}, actions: [complete, reassign, supersede], requires_reason: false}}
    pools: [{{name: {POOL}, capacity: 1}}]
"""
TIMEOUT = 60_000_000  # a lock that hangs fails its test within a minute


def make_state(root: Path, registry: str = REGISTRY) -> Path:
    """The state folder of a project that has a registry and no database yet."""
    folder = root / STATE_FOLDER
    folder.mkdir()
    if not engine.make_project(root, registry):
        (folder / REGISTRY_FILE).write_text(registry, encoding="utf-8")
    return folder


def location_of(root: Path) -> Location:
    """Where the state of that project is."""
    return Location(str(root / STATE_FOLDER), str(root), FoundBy.WALK)


def open_project(
    root: Path,
    *,
    clock: Clock | None = None,
    ids: IdSource | None = None,
    tokens: TokenSource | None = None,
) -> Project:
    """The project at `root`; fakes stand in for what is not given."""
    return Project(
        location_of(root),
        clock=clock or FakeClock(),
        ids=ids or SequenceIds(),
        tokens=tokens or SequenceTokens(),
        timeout=TIMEOUT,
        database_url=engine.url_of(root),
    )


def call(action: str, agent: str | None = None, **more: Any) -> Call:
    """The call of an agent, or of a person where none is named."""
    actor = Actor(ActorKind.USER) if agent is None else Actor(ActorKind.AGENT, agent)
    return Call(action=action, actor=actor, intent=more.pop("intent", None), goal_id=GOAL, **more)


def database_of(root: Path) -> Path:
    """The database file of the project."""
    return root / STATE_FOLDER / DATABASE_FILE


@contextmanager
def foreign_hand(root: Path) -> Iterator[Connection]:
    """The database as somebody with `sqlite3` or `psql` opens it: no checks of ours, no foreign keys."""
    url = engine.url_of(root)
    if url is not None:
        with closing(connect(url)) as server:
            server.execute("SET session_replication_role = replica")
            yield server
        return
    with closing(sqlite3.connect(database_of(root), isolation_level=None)) as db:
        yield db


def everything(root: Path) -> tuple[dict[str, list[tuple[Any, ...]]], bytes]:
    """Every row of every table, and the registry's text."""
    url = engine.url_of(root)
    if url is None:
        names = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
        return _rows_of_all(root, names), (root / STATE_FOLDER / REGISTRY_FILE).read_bytes()
    rows = _rows_of_all(root, "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename")
    return rows, rows["registry_document"][0][1]


def _rows_of_all(root: Path, names: str) -> dict[str, list[tuple[Any, ...]]]:
    with foreign_hand(root) as db:
        tables = [name for (name,) in db.execute(names).fetchall()]
        return {name: sorted(db.execute(f"SELECT * FROM {name}").fetchall(), key=repr) for name in tables}


def make_team(root: Path, agents: Sequence[str]) -> None:
    """A project whose goal has these agents, without grants."""
    lines = [f"        - {{id: {agent}}}" for agent in agents]
    head = REGISTRY.partition("        - {id: ann}")[0]
    make_state(root, head + "\n".join(lines) + "\n")


@contextmanager
def opened(root: Path, **ports: Any) -> Iterator[Project]:
    """`open_project` with random ids and tokens, closed again."""
    chosen = {"clock": SystemClock(), "ids": RandomIds(), "tokens": RandomTokens(), **ports}
    with closing(open_project(root, **chosen)) as project:
        yield project


def seeded(root: Path, number: int) -> list[str]:
    """The ids of that many new todos."""
    with opened(root) as project:
        new = [NewTodo(text=f"seed {place}") for place in range(number)]
        return [add_todo(project, call("todo_added"), one)["todo"]["todo_id"] for one in new]
