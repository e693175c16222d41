"""Real git repositories for tests, made under the test's own home and with no prompt."""

from __future__ import annotations

import subprocess
from pathlib import Path

_SETTINGS = ("user.name=Somebody", "user.email=somebody@example.com", "protocol.file.allow=always")
_TIMEOUT_SECONDS = 60


def git(cwd: Path, *argv: str) -> str:
    """What git answers in that folder; a failure fails the test."""
    settings = [part for setting in _SETTINGS for part in ("-c", setting)]
    command = ["git", *settings, *argv]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=_TIMEOUT_SECONDS)
    assert done.returncode == 0, f"$ git {' '.join(argv)}\n{done.stdout}{done.stderr}"
    return done.stdout.strip()


def new_repository(folder: Path, remote: str | None = None) -> Path:
    """A repository with one commit, and that remote as `origin`."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "--quiet", "--initial-branch=main")
    (folder / "README").write_text("read me\n", encoding="utf-8")
    git(folder, "add", "README")
    git(folder, "commit", "--quiet", "--message=first")
    if remote is not None:
        git(folder, "remote", "add", "origin", remote)
    return folder


def new_worktree(repository: Path, folder: Path, branch: str = "side") -> Path:
    """A linked worktree of the repository, on a branch of its own."""
    git(repository, "worktree", "add", "--quiet", "-b", branch, str(folder))
    return folder
