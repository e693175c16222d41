"""Tests in a browser are made where there is one. Where there is none, the run says at its end what it left out."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

COMMANDS = ("chromium", "chromium-browser", "google-chrome")
FOLDER = Path(__file__).resolve().parents[1] / "web"
LEFT_OUT = "NOT RUN: the tests in a browser (tests/web/test_browser.py), since no chromium was found"
REMEDY = "         install one, such as with `apt-get install chromium`, and run again"


def chromium() -> str | None:
    """The path of the distribution's browser, if it is installed."""
    return next((path for path in map(shutil.which, COMMANDS) if path), None)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "browser: needs a chromium; left out, visibly, where there is none")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if chromium() is None:
        left_out = [item for item in items if item.get_closest_marker("browser")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if chromium() is None and _concerns(config):
        terminalreporter.write_line(LEFT_OUT, yellow=True, bold=True)
        terminalreporter.write_line(REMEDY, yellow=True)


def _concerns(config: pytest.Config) -> bool:
    """Whether the run is about the folder with these tests, or about more than it."""
    named = [(config.invocation_params.dir / arg.partition("::")[0]).resolve() for arg in config.args]
    return any(FOLDER.is_relative_to(path) or path.is_relative_to(FOLDER) for path in named)
