"""A hot command loads click, sqlite3, json and our own code only: every other import is start-up time."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.cli import Loopx, clean_environment

# Beyond what click, sqlite3 and json load by themselves (budgets: 10 to 100 ms each, or a part of one).
COSTLY = frozenset(
    [
        "argparse",
        "asyncio",
        "dataclasses",
        "filelock",
        "hashlib",
        "importlib.metadata",
        "jsonschema",
        "logging",
        "pathlib",
        "random",
        "rich",
        "ruamel",
        "secrets",
        "socket",
        "subprocess",
        "tempfile",
        "uuid",
        "zoneinfo",
    ]
)

_LOADED = "import json, sys\n{code}\nprint(json.dumps(sorted(sys.modules)), file=sys.stderr)"
_BARE = "import click, sqlite3"
_CALL = "from loopx.cli.root import main\nassert main(json.loads(sys.argv[1])) == 0"


def loaded(code: str, cwd: Path, *argv: str) -> set[str]:
    """The modules of a fresh process that has run `code`."""
    line = [sys.executable, "-c", _LOADED.format(code=code), json.dumps(argv)]
    done = subprocess.run(line, cwd=cwd, env=clean_environment(), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return set(json.loads(done.stderr.splitlines()[-1]))


@pytest.fixture
def lab(loopx: Loopx) -> Loopx:
    loopx.ok("init", "--goal-id", "lab", "--objective", "Start quickly", "--agent", "agent-a")
    loopx.ok("todo", "add", "--goal-id", "lab", "--role", "agent", "--text", "work")
    return loopx


@pytest.mark.parametrize(
    "command",
    [
        "quota should-run --goal-id lab --agent-id agent-a",
        "todo show ID",
        "todo claim --goal-id lab --todo-id ID --claimed-by agent-a",
        "todo complete --goal-id lab --todo-id ID --claimed-by agent-a --evidence e --no-follow-up",
        "todo list --limit 50",
        "status",
        "inbox",
    ],
)
def test_a_hot_command_loads_nothing_that_costs(lab: Loopx, command: str) -> None:
    (todo,) = lab.ok("todo", "list")["todos"]
    argv = command.replace("ID", todo["todo_id"]).split()
    extra = loaded(_CALL, lab.root, *argv, "--format", "json") - loaded(_BARE, lab.root)
    assert not extra & COSTLY
