"""No test sees the home folder or the settings of whoever runs it, and none depends on luck."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from loopx.cli.context import Ports
from tests.support import browser, engine
from tests.support.cli import Loopx
from tests.support.engine import database_url, databases, places, postgres, pytest_addoption
from tests.support.fakes import FakeClock, SequenceIds, SequenceTokens

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["database_url", "databases", "places", "postgres", "pytest_addoption"]  # found by name

# The same examples every time: a red suite is red for everybody. `make soak` draws new ones.
settings.register_profile(
    "steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.register_profile(
    "soak", deadline=None, max_examples=5_000, suppress_health_check=list(HealthCheck), print_blob=True
)
settings.load_profile("steady")


def pytest_configure(config: pytest.Config) -> None:
    browser.pytest_configure(config)
    config.addinivalue_line("markers", "sqlite_only(reason): about a database that is a file")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    browser.pytest_collection_modifyitems(config, items)
    engine.leave_out_files(config, items)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    browser.pytest_terminal_summary(terminalreporter, config)
    engine.tell_left_out(terminalreporter, config)


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(autouse=True)
def own_environment(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    """HOME is an empty folder and no `LOOPX_*` setting leaks in."""
    for name in [name for name in os.environ if name.startswith("LOOPX_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


@pytest.fixture
def loopx(tmp_path: Path) -> Loopx:
    """The installed command, as processes in an empty folder."""
    return Loopx(tmp_path)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def ids() -> SequenceIds:
    return SequenceIds()


@pytest.fixture
def tokens() -> SequenceTokens:
    return SequenceTokens()


@pytest.fixture
def inside(tmp_path: Path, clock: FakeClock, ids: SequenceIds, tokens: SequenceTokens) -> Loopx:
    """The command inside this process, in an empty folder, under a clock and ids that the test decides."""
    return Loopx(tmp_path, in_process=True, ports=Ports(clock, ids, tokens))
