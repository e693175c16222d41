"""What the pages about fitting in show beside shell blocks: Python, git hooks, and the manual page."""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from loopx.api import create_project
from tests.support.cli import COMMAND, clean_environment
from tests.support.git import git

if TYPE_CHECKING:
    from tests.support.cli import Loopx

DOCS = Path(__file__).resolve().parents[2] / "docs"
STAND_INS = {
    "missing": None,
    "failing": "#!/bin/sh\necho broken >&2\nexit 6\n",
    "killed": "#!/bin/sh\nkill -9 $$\n",
}


def blocks(page: str, kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", (DOCS / page).read_text("utf-8"), re.MULTILINE | re.DOTALL)


def test_the_python_of_the_reference_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    project = tmp_path / "path" / "to" / "project"
    project.mkdir(parents=True)
    create_project(project, goal_id="ship", objective="Ship it", agents=["agent-a"])
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"todo_id": "todo_0000000000", "work_on": lambda task: f"did {task['subject']}"}
    opening, refusal, worker = blocks("reference/python-api.md", "python")
    exec(compile(opening, "python-api.md", "exec"), names)
    exec(compile(refusal, "python-api.md", "exec"), names)
    assert "usage" in capsys.readouterr().out
    monkeypatch.chdir(project)
    subprocess.run([COMMAND, "todo", "add", "--text", "Work"], check=True, capture_output=True, env=clean_environment())
    exec(compile(worker, "python-api.md", "exec"), names)
    done = subprocess.run([COMMAND, "todo", "list"], check=True, capture_output=True, env=clean_environment())
    assert b" done " in done.stdout


@pytest.mark.parametrize("stand_in", [*STAND_INS, "real"])
def test_the_git_hooks_never_stop_a_commit_or_a_merge(loopx: Loopx, stand_in: str) -> None:
    merged, committed = blocks("how-to/set-up-agents.md", "hook")
    git(loopx.root, "init", "-q", "-b", "main")
    git(loopx.root, "commit", "-q", "--allow-empty", "-m", "first")
    for name, script in (("post-merge", merged), ("post-commit", committed)):
        path = loopx.root / ".git" / "hooks" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(script, encoding="utf-8")
        path.chmod(0o755)
    environment = {"PATH": _path(loopx.root, stand_in)}
    if stand_in == "real":
        loopx.ok("init", "--goal-id", "g", "--objective", "o", "--agent", "a")
    _git(loopx.root, environment, "switch", "-q", "-c", "side")
    _git(loopx.root, environment, "commit", "-q", "--allow-empty", "-m", "more")
    _git(loopx.root, environment, "switch", "-q", "main")
    _git(loopx.root, environment, "merge", "-q", "--no-ff", "-m", "merged", "side")
    if stand_in == "real":
        assert [fact["fact"] for fact in loopx.ok("fact", "list")["facts"]] == ["pr_merged:merged-here"]


def _path(root: Path, stand_in: str) -> str:
    """A search path on which loopx is missing, fails, dies or is itself."""
    tools = root / "tools"
    tools.mkdir()
    if stand_in == "real":
        (tools / "loopx").symlink_to(COMMAND)
    elif (script := STAND_INS[stand_in]) is not None:
        (tools / "loopx").write_text(script, encoding="utf-8")
        (tools / "loopx").chmod(0o755)
    return f"{tools}:/usr/bin:/bin"


def _git(root: Path, environment: dict[str, str], *argv: str) -> None:
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")
    git_ = shutil.which("git")
    assert git_ is not None
    done = subprocess.run(
        [git_, *identity, *argv], cwd=root, env=clean_environment(environment), capture_output=True, timeout=60
    )
    assert done.returncode == 0, done.stderr


def test_the_manual_page_names_every_command_and_typesets_cleanly() -> None:
    from loopx.cli.root import FAMILIES

    page = (DOCS / "reference" / "loopx.1").read_text("utf-8")
    for name in FAMILIES:
        assert f'.SS "loopx {name}'.replace("-", "\\-") in page, name
    assert not [line for line in page.splitlines() if re.match(r"[.'](?!\\\"|TH|SH|SS|B |I |TP|PP|nf|fi|RS|RE)", line)]
    with contextlib.suppress(FileNotFoundError):
        done = subprocess.run(["groff", "-ww", "-man", "-z"], input=page.encode(), capture_output=True, timeout=60)
        assert done.stderr == b""
