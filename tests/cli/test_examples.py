"""The examples are true: every script runs to its end, and every end of the showcase graphs is reached."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.cli import COMMAND, Loopx, clean_environment

if TYPE_CHECKING:
    from collections.abc import Callable

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SHOWCASE = EXAMPLES / "showcase"
ENDS = {
    "issue_fix": ("ci_failure_replan", "review_changes_replan", "branch_or_merge_blocker_replan", "no_followup"),
    "single_agent_auto_ml": ("promote", "no_promote", "retry", "replan"),
    "auto_research": ("holdout", "retry", "retirement", "promotion_gate"),
}
TIMEOUT_SECONDS = 120.0


def run(argv: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """One process that finds the command where LOOPX says, in a folder of its own."""
    return subprocess.run(
        argv,
        cwd=folder,
        env=clean_environment({"LOOPX": COMMAND, "TMPDIR": str(folder)}),
        capture_output=True,
        encoding="utf-8",
        timeout=TIMEOUT_SECONDS,
    )


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """A showcase script as a module; its neighbours are found as when it is run."""
    monkeypatch.syspath_prepend(str(SHOWCASE))
    return importlib.import_module


@pytest.fixture
def ask(tmp_path: Path) -> Callable[[list[str]], tuple[int, str]]:
    """The command inside this process; each document is held against its schema."""
    loopx = Loopx(tmp_path)

    def asked(argv: list[str]) -> tuple[int, str]:
        answer = loopx.call(*argv[2:])  # `call` says --format json itself
        return answer.code, answer.out

    return asked


@pytest.mark.parametrize("name", ["worked_example", "frontier_experiment"])
def test_a_shell_example_ends_with_all_expectations_met(tmp_path: Path, name: str) -> None:
    done = run(["sh", str(EXAMPLES / f"{name}.sh")], tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    assert list(tmp_path.iterdir()) == [], "it cleans up"


def test_a_shell_example_fails_where_an_expectation_does_not_hold(tmp_path: Path) -> None:
    text = (EXAMPLES / "worked_example.sh").read_text(encoding="utf-8")
    wrong = text.replace("mode bounded_delivery", "mode user_gate", 1)
    assert wrong != text
    done = run(["sh", "-c", wrong], tmp_path)
    assert done.returncode == 1
    assert "not so: interaction_contract.mode should be user_gate and is bounded_delivery" in done.stderr


@pytest.mark.parametrize(("name", "end"), [(name, end) for name, ends in ENDS.items() for end in ends])
def test_a_showcase_graph_reaches_its_end(
    script: Callable[[str], Any], ask: Callable[[list[str]], tuple[int, str]], name: str, end: str
) -> None:
    module = script(name)
    assert tuple(module.ENDS) == ENDS[name]
    assert script("drive").play(module.__doc__, module.ENDS, ["--end", end], ask) == 0


def test_a_showcase_script_asks_the_installed_command(tmp_path: Path) -> None:
    done = run([sys.executable, str(SHOWCASE / "auto_research.py"), "--end", "retirement"], tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "judge: terminal_no_followup" in done.stdout


def test_a_showcase_script_stops_at_a_claim_that_does_not_hold(
    script: Callable[[str], Any], ask: Callable[[list[str]], tuple[int, str]], tmp_path: Path
) -> None:
    drive = script("drive")
    lab = drive.Lab(tmp_path, "showcase", ask)
    lab.start("x", "y", {"ann": ()})
    todo = lab.work("something")
    with pytest.raises(AssertionError, match="should get"):
        lab.decide("ann", "terminal_no_followup")
    with pytest.raises(AssertionError, match="should be refused"):
        lab.refused("todo_not_found", "todo", "show", todo)
    with pytest.raises(AssertionError, match="should lead to"):
        lab.follows(todo, todo)
    with pytest.raises(AssertionError, match="should be failed"):
        lab.closed(todo, "failed")


def test_the_examples_page_names_every_script_and_every_end() -> None:
    page = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    scripts = [path.name for path in (*EXAMPLES.glob("*.sh"), *SHOWCASE.glob("*.py"))]
    ends = [end for ends in ENDS.values() for end in ends]
    assert [name for name in (*scripts, *ends) if name not in page] == []
    assert all(os.access(path, os.X_OK) for path in EXAMPLES.glob("*.sh"))
