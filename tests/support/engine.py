"""Which database the tests' projects are in: a file each, or with `--engine=postgres` a schema each on a server.

What is about files alone is marked `sqlite_only("why")`; a run on the server leaves it out and says so at its end.
"""

from __future__ import annotations

import itertools
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from loopx.settings import DATABASE_URL
from loopx.system import RandomIds
from tests.support.postgres import running_server

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.postgres import PostgresServer

SQLITE, POSTGRES = "sqlite", "postgres"
_left_out = pytest.StashKey[Counter[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--engine", choices=(SQLITE, POSTGRES), default=SQLITE, help="where the tests' projects are")


def on_postgres(config: pytest.Config) -> bool:
    """Whether the projects of this run are on a server."""
    return bool(config.getoption("--engine") == POSTGRES)


def leave_out_files(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect what a run on the server has no files for, and remember why."""
    reasons = config.stash[_left_out] = Counter[str]()
    if not on_postgres(config):
        return
    kept, left_out = [], []
    for item in items:
        mark = item.get_closest_marker("sqlite_only")
        if mark is None:
            kept.append(item)
        else:
            left_out.append(item)
            reasons[str(mark.args[0])] += 1
    config.hook.pytest_deselected(items=left_out)
    items[:] = kept


def tell_left_out(terminal: pytest.TerminalReporter, config: pytest.Config) -> None:
    """At the end of the run: what was left out, and why."""
    for reason, number in sorted(config.stash.get(_left_out, Counter[str]()).items()):
        terminal.write_line(f"NOT RUN on PostgreSQL: {number} tests, since this {reason}", yellow=True)


class Databases:
    """Fresh places on one server. Each is a schema of its own, and gone with the server."""

    def __init__(self, server: PostgresServer) -> None:
        self.server = server
        self._numbers = itertools.count(1)

    def fresh(self) -> str:
        """The address of an empty schema."""
        import psycopg

        name = f"project_{next(self._numbers)}"
        with psycopg.connect(self.server.url, autocommit=True) as session:
            session.execute(f"CREATE SCHEMA {name}".encode())
        return url_of_schema(self.server.url, name)

    def drop(self, url: str) -> None:
        """Free what is there."""
        import psycopg

        with psycopg.connect(url, autocommit=True) as session:
            session.execute("SET client_min_messages = warning")
            (name,) = session.execute("SELECT current_schema()").fetchone() or ("",)
            session.execute(f"DROP SCHEMA {name} CASCADE".encode())


class Places:
    """Where the projects of one test are: a schema for each folder."""

    def __init__(self, databases: Databases) -> None:
        self._databases = databases
        self._urls: dict[Path, str] = {}

    def url_of(self, root: Path) -> str:
        root = root.resolve()
        if root not in self._urls:
            self._urls[root] = self._databases.fresh()
        return self._urls[root]

    def clear(self) -> None:
        for url in self._urls.values():
            self._databases.drop(url)


_places: list[Places] = []  # of the test that runs, where its projects are on a server


@pytest.fixture(autouse=True)
def places(request: pytest.FixtureRequest) -> Iterator[None]:
    """With `--engine=postgres`, fresh places for the projects of this test."""
    if not on_postgres(request.config):
        yield
        return
    _places.append(Places(request.getfixturevalue("databases")))
    yield
    _places.pop().clear()


def url_of(root: Path) -> str | None:
    """The address of the project in that folder; None where it is in the folder."""
    return _places[-1].url_of(root) if _places else None


def environment_of(root: Path) -> dict[str, str]:
    """What tells a call in that folder where its project is."""
    url = url_of(root)
    return {} if url is None else {DATABASE_URL: url}


def make_project(root: Path, registry: str) -> bool:
    """Make a project with that registry on the server; false where projects are in folders."""
    url = url_of(root)
    if url is None:
        return False
    from loopx.store.postgres.connection import connect
    from loopx.store.postgres.schema import install

    with closing(connect(url)) as db:
        return install(db, state=RandomIds().new("state"), registry=registry.encode())


def url_of_schema(server: str, name: str) -> str:
    """The server's address with that schema as the one in use."""
    mark = "&" if "?" in server else "?"
    return f"{server}{mark}options={quote(f'-csearch_path={name}', safe='')}"


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A server of this run's own."""
    with running_server() as server:
        yield server


@pytest.fixture(scope="session")
def databases(postgres: PostgresServer) -> Databases:
    return Databases(postgres)


@pytest.fixture
def database_url(databases: Databases) -> Iterator[str]:
    """The address of an empty place for one project."""
    url = databases.fresh()
    yield url
    databases.drop(url)
