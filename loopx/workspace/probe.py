"""What kind of place a folder is for delivery (W9); nothing is kept that names a path or a secret.

Git's files are read directly. Git itself is asked only where they do not tell all: settings included
from elsewhere, rewritten URLs, or variables that move the repository. Without git on the machine the
files have to do, because nobody else could resolve more.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from loopx.core.repository import repository_from_remote
from loopx.core.workspace import NOWHERE, Workspace, WorkspaceKind
from loopx.workspace.checkout import find_checkout, is_within, worktree_root

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# Variables that change which repository or which settings git would use.
_MOVES_GIT = ("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS")
_HIDES_MORE = (b"insteadof", b"[include")  # in the user's own settings
_ANSWER_SECONDS = 10  # git answers in milliseconds; a hanging file system must not hang us


def probe_workspace(path: str, *, environment: Mapping[str, str] | None = None) -> Workspace:
    """The workspace that the folder is; `environment` is this process's where none is given."""
    folder = os.path.realpath(path)
    if not os.path.isdir(folder):
        return NOWHERE
    environment = os.environ if environment is None else environment
    read, is_clear = _from_files(folder)
    if is_clear and not _is_moved(environment) and not _has_hidden_settings(environment):
        return read
    asked = _from_git(folder, environment)
    return read if asked is None else asked


def _from_files(folder: str) -> tuple[Workspace, bool]:
    """The workspace as the repository's files tell it, and whether they tell all."""
    checkout = find_checkout(folder)
    if checkout is None:
        return NOWHERE, True
    config = checkout.config()
    root = worktree_root(checkout, config)
    if root is None or not is_within(folder, root):
        return NOWHERE, config.is_clear
    return _workspace(config.remote_urls(), is_linked=checkout.is_linked), config.is_clear


def _workspace(urls: Iterable[str], *, is_linked: bool) -> Workspace:
    kind = WorkspaceKind.INDEPENDENT_GIT_WORKTREE if is_linked else WorkspaceKind.CANONICAL_CHECKOUT
    identities = (repository_from_remote(url) for url in urls)
    return Workspace(kind, tuple(dict.fromkeys(identity for identity in identities if identity)))


def _is_moved(environment: Mapping[str, str]) -> bool:
    return any(environment.get(name) for name in _MOVES_GIT)


def _has_hidden_settings(environment: Mapping[str, str]) -> bool:
    """Whether the user's or the machine's settings may rewrite URLs."""
    return any(_mentions(path, _HIDES_MORE) for path in _outer_config_files(environment))


def _outer_config_files(environment: Mapping[str, str]) -> list[str]:
    home = environment.get("HOME", "")
    paths = [
        os.path.join(environment.get("XDG_CONFIG_HOME") or os.path.join(home, ".config"), "git", "config"),
        os.path.join(home, ".gitconfig"),
    ]
    if environment.get("GIT_CONFIG_GLOBAL") is not None:
        paths = [environment["GIT_CONFIG_GLOBAL"]]
    if not environment.get("GIT_CONFIG_NOSYSTEM"):
        paths.append(environment.get("GIT_CONFIG_SYSTEM") or "/etc/gitconfig")
    return paths


def _mentions(path: str, words: tuple[bytes, ...]) -> bool:
    try:
        with open(path, "rb") as file:
            text = file.read().lower()
    except OSError:
        return False
    return any(word in text for word in words)


# --- where only git knows ----------------------------------------------------------------


def _from_git(folder: str, environment: Mapping[str, str]) -> Workspace | None:
    """The workspace as git tells it; None where git is missing or has no answer."""
    places = _ask(folder, environment, "rev-parse", "--is-inside-work-tree", "--git-dir", "--git-common-dir")
    if places is None or len(places) != 3:
        return None
    inside, git_dir, common_dir = places
    if inside != "true":
        return NOWHERE
    remotes = _ask(folder, environment, "remote", "--verbose")
    if remotes is None:
        return None
    is_linked = os.path.realpath(os.path.join(folder, git_dir)) != os.path.realpath(os.path.join(folder, common_dir))
    return _workspace(_remote_urls(remotes), is_linked=is_linked)


def _remote_urls(lines: list[str]) -> list[str]:
    """The URLs of lines such as `origin⇥https://host/owner/repo (fetch)`, `origin` first."""
    remotes = [line.partition("\t") for line in lines]
    remotes.sort(key=lambda remote: remote[0] != "origin")
    return [rest.rpartition(" (")[0] for _, _, rest in remotes]


def _ask(folder: str, environment: Mapping[str, str], *argv: str) -> list[str] | None:
    import subprocess

    try:
        done = subprocess.run(
            ["git", "-C", folder, *argv],
            env={**environment, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_ANSWER_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return os.fsdecode(done.stdout).splitlines() if done.returncode == 0 else None
