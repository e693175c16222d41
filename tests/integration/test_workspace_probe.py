"""The probe tells a place by git's own files, and asks git only where these do not tell all (W9)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from loopx.core.workspace import NOWHERE, Workspace, WorkspaceKind
from loopx.workspace.probe import probe_workspace
from tests.support.git import git, new_repository, new_worktree

PROJECT = "git:example.com/owner/project"
REMOTE = "https://example.com/owner/project.git"
CANONICAL = Workspace(WorkspaceKind.CANONICAL_CHECKOUT, (PROJECT,))
INDEPENDENT = Workspace(WorkspaceKind.INDEPENDENT_GIT_WORKTREE, (PROJECT,))


def environment(**extra: str) -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_DIR")} | extra


def without_git(tmp_path: Path) -> dict[str, str]:
    return environment(PATH=str(tmp_path / "no-programs"))


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return new_repository(tmp_path / "repo", REMOTE)


def probed(folder: Path, tmp_path: Path) -> Workspace:
    """The answer, which must be the same with and without git on the machine."""
    found = probe_workspace(str(folder), environment=environment())
    assert probe_workspace(str(folder), environment=without_git(tmp_path)) == found
    return found


def test_the_main_worktree_is_the_canonical_checkout(repository: Path, tmp_path: Path) -> None:
    (repository / "src").mkdir()
    assert probed(repository, tmp_path) == CANONICAL
    assert probed(repository / "src", tmp_path) == CANONICAL


def test_a_linked_worktree_is_independent(repository: Path, tmp_path: Path) -> None:
    linked = new_worktree(repository, tmp_path / "linked")
    (linked / "src").mkdir()
    assert probed(linked, tmp_path) == INDEPENDENT
    assert probed(linked / "src", tmp_path) == INDEPENDENT


def test_a_symbolic_link_is_what_it_leads_to(repository: Path, tmp_path: Path) -> None:
    linked = new_worktree(repository, tmp_path / "linked")
    (tmp_path / "link").symlink_to(linked)
    assert probed(tmp_path / "link", tmp_path) == INDEPENDENT


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com/owner/project",
        "https://user:secret@example.com/owner/project.git",
        "ssh://git@example.com/owner/project.git",
        "ssh://example.com:22/owner/project",
        "git@example.com:owner/project.git",
        "example.com:owner/project",
    ],
)
def test_every_spelling_of_a_remote_is_one_identity_without_a_secret(tmp_path: Path, url: str) -> None:
    assert probed(new_repository(tmp_path / "repo", url), tmp_path) == CANONICAL


def test_a_remote_on_this_machine_has_no_identity_and_no_path_is_kept(tmp_path: Path) -> None:
    repository = new_repository(tmp_path / "repo", str(tmp_path / "elsewhere"))
    assert probed(repository, tmp_path) == Workspace(WorkspaceKind.CANONICAL_CHECKOUT)


def test_all_remotes_count_and_origin_comes_first(repository: Path, tmp_path: Path) -> None:
    git(repository, "remote", "rename", "origin", "upstream")
    git(repository, "remote", "add", "origin", "git@example.com:me/fork.git")
    assert probed(repository, tmp_path).repositories == ("git:example.com/me/fork", PROJECT)


def test_a_folder_outside_of_git_is_no_worktree(tmp_path: Path) -> None:
    assert probed(tmp_path, tmp_path) == NOWHERE
    assert probed(tmp_path / "missing", tmp_path) == NOWHERE


def test_a_bare_repository_and_a_git_folder_are_no_worktree(repository: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", "--bare", str(repository), "bare.git")
    assert probed(tmp_path / "bare.git", tmp_path) == NOWHERE
    assert probed(repository / ".git", tmp_path) == NOWHERE
    assert probed(repository / ".git" / "refs", tmp_path) == NOWHERE


def test_a_worktree_of_a_bare_repository_is_independent(repository: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    git(project, "clone", "--quiet", "--bare", str(repository), ".bare")
    (project / ".git").write_text("gitdir: ./.bare\n", encoding="utf-8")
    git(project, "remote", "set-url", "origin", REMOTE)
    linked = new_worktree(project, project / "linked")
    assert probed(project, tmp_path) == NOWHERE
    assert probed(linked, tmp_path) == INDEPENDENT


def test_a_submodule_is_the_canonical_checkout_of_its_repository(repository: Path, tmp_path: Path) -> None:
    outer = new_repository(tmp_path / "outer", "https://example.com/owner/outer")
    git(outer, "submodule", "--quiet", "add", str(repository), "sub")
    git(outer / "sub", "remote", "set-url", "origin", REMOTE)
    assert probed(outer / "sub", tmp_path) == CANONICAL


def test_a_git_file_that_leads_nowhere_is_no_worktree(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("gitdir: gone\n", encoding="utf-8")
    assert probed(tmp_path, tmp_path) == NOWHERE


def test_an_empty_git_folder_is_passed_over_as_git_does(repository: Path, tmp_path: Path) -> None:
    (repository / "inner" / ".git").mkdir(parents=True)
    assert probed(repository / "inner", tmp_path) == CANONICAL


def test_a_worktree_placed_elsewhere_is_found_there_alone(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    git(repository, "config", "core.worktree", str(tmp_path / "files"))
    assert probed(repository, tmp_path) == NOWHERE


def test_settings_of_one_worktree_are_read(repository: Path, tmp_path: Path) -> None:
    linked = new_worktree(repository, tmp_path / "linked")
    git(repository, "config", "extensions.worktreeConfig", "true")
    git(linked, "config", "--worktree", "remote.own.url", "https://example.com/own/one")
    assert probed(linked, tmp_path).repositories == (PROJECT, "git:example.com/own/one")
    assert probed(repository, tmp_path) == CANONICAL


def test_a_repository_whose_name_is_no_text_is_probed(tmp_path: Path) -> None:
    repository = new_repository(tmp_path / os.fsdecode(b"caf\xe9"), REMOTE)
    linked = new_worktree(repository, tmp_path / os.fsdecode(b"side\xff"))
    assert probed(linked, tmp_path) == INDEPENDENT


# --- where only git knows ----------------------------------------------------------------


def test_included_settings_are_asked_of_git(repository: Path, tmp_path: Path) -> None:
    git(repository, "remote", "remove", "origin")
    (tmp_path / "more").write_text(f'[remote "origin"]\n\turl = {REMOTE}\n', encoding="utf-8")
    git(repository, "config", "include.path", str(tmp_path / "more"))
    assert probe_workspace(str(repository), environment=environment()) == CANONICAL


@pytest.mark.parametrize("place", ["repository", "home"])
def test_a_rewritten_url_is_asked_of_git(repository: Path, tmp_path: Path, place: str) -> None:
    git(repository, "remote", "set-url", "origin", "short:project")
    scope = "--local" if place == "repository" else "--global"
    home = environment(HOME=str(tmp_path), XDG_CONFIG_HOME=str(tmp_path / "none"))
    (tmp_path / ".gitconfig").touch()
    where = [] if place == "repository" else ["--file", str(tmp_path / ".gitconfig")]
    git(repository, "config", *(where or [scope]), "url.https://example.com/owner/.insteadOf", "short:")
    assert probe_workspace(str(repository), environment=home) == CANONICAL


def test_variables_that_move_the_repository_are_asked_of_git(repository: Path, tmp_path: Path) -> None:
    other = new_repository(tmp_path / "other", "https://example.com/owner/other")
    moved = environment(GIT_DIR=str(repository / ".git"), GIT_WORK_TREE=str(other))
    assert probe_workspace(str(other), environment=moved) == CANONICAL


def test_without_git_the_files_have_to_do(repository: Path, tmp_path: Path) -> None:
    git(repository, "config", "include.path", str(tmp_path / "more"))
    assert probe_workspace(str(repository), environment=without_git(tmp_path)) == CANONICAL


def test_what_git_refuses_to_answer_is_read(repository: Path) -> None:
    broken = environment(GIT_CONFIG_PARAMETERS="'no such form")
    assert probe_workspace(str(repository), environment=broken) == CANONICAL


@pytest.mark.parametrize("in_linked", [False, True])
def test_clear_files_cost_no_process(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_linked: bool
) -> None:
    folder = new_worktree(repository, tmp_path / "linked") if in_linked else repository
    monkeypatch.setattr("subprocess.Popen", None)
    assert probe_workspace(str(folder)) == (INDEPENDENT if in_linked else CANONICAL)
