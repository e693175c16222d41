"""Arrows point down, and time and chance come in at one place: held by tools that are seen to bite.

Each tool is run twice: over the code as it is, and over a copy with a planted violation.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent


def lint_imports(root: Path) -> subprocess.CompletedProcess[str]:
    return _run(root, str(BIN / "lint-imports"), "--no-cache", env={"PYTHONPATH": str(root)})


def ruff(root: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    return _run(root, str(BIN / "ruff"), "check", "--no-cache", "--output-format", "concise", *argv)


def _run(root: Path, *argv: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(argv, cwd=root, env=os.environ | (env or {}), capture_output=True, text=True, timeout=120)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the package that a test may spoil."""
    shutil.copytree(ROOT / "loopx", tmp_path / "loopx", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def plant(root: Path, module: str, line: str) -> None:
    path = root / "loopx" / f"{module}.py"
    path.write_text(f"{path.read_text(encoding='utf-8')}\n{line}\n", encoding="utf-8")


def test_no_import_points_up() -> None:
    done = lint_imports(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("core/instant", "import loopx.system"),
        ("core/instant", "def ask() -> None:\n    import sqlite3"),
        ("store/__init__", "import loopx.app"),
        ("registry/__init__", "import loopx.store"),
    ],
)
def test_a_planted_upward_import_is_seen(copy: Path, module: str, line: str) -> None:
    plant(copy, module, line)
    done = lint_imports(copy)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "BROKEN" in done.stdout


def test_a_new_package_must_be_given_a_layer(copy: Path) -> None:
    (copy / "loopx" / "helpers.py").write_text("", encoding="utf-8")
    assert lint_imports(copy).returncode == 1


def test_time_ids_and_chance_are_asked_for_in_one_module() -> None:
    done = ruff(ROOT, "--select", "TID251", "loopx")
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("module", "line", "banned"),
    [
        ("app/__init__", "import time", "time"),
        ("store/__init__", "from uuid import uuid4", "uuid"),
        ("store/__init__", "import os\nos.urandom(4)", "os.urandom"),
        ("core/instant", "import os", "os"),
        ("core/instant", "import sqlite3", "sqlite3"),
        ("core/instant", "datetime.now(UTC)", "datetime.datetime.now"),
    ],
)
def test_a_planted_question_to_the_machine_is_seen(copy: Path, module: str, line: str, banned: str) -> None:
    plant(copy, module, line)
    done = ruff(copy, "--select", "TID251", "loopx")
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"`{banned}` is banned" in done.stdout, done.stdout


def test_the_core_is_under_every_ban_of_the_package() -> None:
    package = _bans(_toml("pyproject.toml")["tool"]["ruff"]["lint"])
    core = _bans(_toml("loopx/core/ruff.toml")["lint"])
    assert package <= core


def _toml(name: str) -> dict[str, Any]:
    return tomllib.loads((ROOT / name).read_text(encoding="utf-8"))


def _bans(lint: dict[str, Any]) -> set[str]:
    return set(lint["flake8-tidy-imports"]["banned-api"])
