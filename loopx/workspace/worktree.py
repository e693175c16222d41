"""A linked git worktree for one worker: the only place that writes the user's git, and only when asked (W9, S4.10).

It lies below the state folder, on a branch of its own. It is made from the present commit or used again as it
was left, and taken away only while nothing in it or on its branch would be lost.
"""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from loopx.core.errors import UsageError, WorktreeInUseError
from loopx.core.value import Value
from loopx.workspace.checkout import find_checkout, main_worktree

if TYPE_CHECKING:
    from collections.abc import Mapping

BRANCHES = "loopx/"  # then the worker's own name
_PATIENCE_SECONDS = 300  # checking out a large repository takes its time; a hanging one must not hang us


class Worktree(Value):
    """A worktree as it was taken: `folder` is the place in it that the project's own folder has in the repository."""

    repository: str
    root: str
    branch: str
    folder: str


def take_worktree(project_root: str, place: str, name: str, *, environment: Mapping[str, str]) -> Worktree:
    """The worker's worktree at that place, made or found again.

    UsageError where the project is in no git repository with a commit; WorktreeInUseError where something else is
    at the place or has the branch.
    """
    repository = _repository_of(project_root)
    inner = os.path.relpath(os.path.realpath(project_root), repository)
    worktree = Worktree(repository, place, f"{BRANCHES}{name}", os.path.normpath(os.path.join(place, inner)))
    if os.path.lexists(place):
        _refuse_other(worktree)
    else:
        _add(worktree, environment)
    if not os.path.isdir(worktree.folder):  # the project's folder is not in the commit
        return worktree._replace(folder=worktree.root)
    return worktree


def what_would_be_lost(worktree: Worktree, *, environment: Mapping[str, str]) -> str | None:
    """Why the worktree must stay: changes that are not committed, or commits that are nowhere else. None: nothing."""
    status = _git(worktree.root, environment, "status", "--porcelain", "--untracked-files=all", "--ignored=no")
    if status is None:
        return "git does not answer for it"
    if status:
        return "it holds changes that are not committed"
    head = _git(worktree.root, environment, "symbolic-ref", "--quiet", "HEAD")
    if head != f"refs/heads/{worktree.branch}":
        return "its branch was changed"
    # Reachable from any ref but its own branch: merged, or pushed to where a remote's ref says so. `--all` would take
    # the HEAD of this very worktree in.
    lonely = _git(
        worktree.root, environment, "rev-list", "--max-count=1", "HEAD", "--not", f"--exclude={head}", "--glob=refs/*"
    )
    if lonely is None:
        return "git does not answer for it"
    return "its branch has commits that are nowhere else" if lonely else None


def give_back(worktree: Worktree, *, environment: Mapping[str, str]) -> str | None:
    """Take the worktree and its branch away where nothing is lost by that; otherwise why they are kept."""
    kept = what_would_be_lost(worktree, environment=environment)
    if kept is not None:
        return kept
    # Without --force git itself refuses once something was changed in between, and likewise for the branch.
    if _git(worktree.repository, environment, "worktree", "remove", worktree.root) is None:
        return "git does not remove it"
    tip = _git(worktree.repository, environment, "rev-parse", f"refs/heads/{worktree.branch}")
    if tip:
        _git(worktree.repository, environment, "update-ref", "-d", f"refs/heads/{worktree.branch}", tip)
    return None


def _repository_of(project_root: str) -> str:
    checkout = find_checkout(os.path.realpath(project_root))
    root = main_worktree(checkout) if checkout is not None else None
    if root is None:
        raise UsageError(
            "the project is in no git repository with files, so there is nothing to make a worktree of",
            hint="Leave --worktree out, or make the project a repository.",
        )
    return root


def _refuse_other(worktree: Worktree) -> None:
    """WorktreeInUseError unless the place holds a linked worktree of this repository."""
    found = find_checkout(worktree.root) if os.path.isdir(worktree.root) and not os.path.islink(worktree.root) else None
    is_ours = found is not None and found.root == worktree.root and found.is_linked and found.is_whole
    if not is_ours or found is None or main_worktree(found) != worktree.repository:
        raise WorktreeInUseError(
            f"{os.path.basename(worktree.root)} in the worktrees folder is no worktree of this repository",
            hint="Look at what it is; the worker makes its worktree where nothing stands.",
        )


def _add(worktree: Worktree, environment: Mapping[str, str]) -> None:
    os.makedirs(os.path.dirname(worktree.root), exist_ok=True)
    has_branch = _git(worktree.repository, environment, "rev-parse", "--verify", f"refs/heads/{worktree.branch}")
    words = (worktree.root, worktree.branch) if has_branch else ("-b", worktree.branch, worktree.root, "HEAD")
    done = _run(worktree.repository, environment, "worktree", "add", *words)
    if done.returncode != 0:
        said = os.fsdecode(done.stderr).strip().splitlines()
        raise WorktreeInUseError(
            f"git made no worktree for the branch {worktree.branch}: {said[-1] if said else done.returncode}",
            hint="`git worktree list` and `git branch` show what stands in the way; a first commit must exist.",
        )


def _git(folder: str, environment: Mapping[str, str], *argv: str) -> str | None:
    """What git prints, without the last line end; None where it fails."""
    done = _run(folder, environment, *argv)
    return os.fsdecode(done.stdout).removesuffix("\n") if done.returncode == 0 else None


def _run(folder: str, environment: Mapping[str, str], *argv: str) -> subprocess.CompletedProcess[bytes]:
    """Git in that folder, whatever repository the environment points elsewhere at."""
    kept = {name: value for name, value in environment.items() if not name.startswith("GIT_") or "CONFIG" in name}
    try:
        return subprocess.run(
            ["git", "-C", folder, *argv],
            env={**kept, "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PATIENCE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as exc:
        raise UsageError(f"git cannot be run: {exc}", hint="Install git, or leave --worktree out.") from exc
