"""A worker's own git worktree: made when asked, kept whenever something would be lost, otherwise taken away (W9)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from loopx.core.errors import UsageError, WorktreeInUseError
from loopx.workspace.worktree import Worktree, give_back, take_worktree, what_would_be_lost
from tests.support.git import git, new_repository, new_worktree


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return new_repository(tmp_path / "repo").resolve()


def take(repository: Path, name: str = "ann", project: Path | None = None) -> Worktree:
    place = repository / ".loopx" / "worktrees" / name
    return take_worktree(str(project or repository), str(place), name, environment=os.environ)


def back(worktree: Worktree) -> str | None:
    return give_back(worktree, environment=os.environ)


def branches(repository: Path) -> list[str]:
    return git(repository, "for-each-ref", "--format=%(refname:short)", "refs/heads").splitlines()


def commit(folder: str, name: str = "new") -> None:
    (Path(folder) / name).write_text("work\n", encoding="utf-8")
    git(Path(folder), "add", name)
    git(Path(folder), "commit", "--quiet", "--message=work")


def test_it_stands_on_a_branch_of_its_own_at_the_present_commit(repository: Path) -> None:
    worktree = take(repository)
    assert Path(worktree.folder, "README").read_text() == "read me\n"
    assert git(Path(worktree.folder), "branch", "--show-current") == "loopx/ann"
    assert git(repository, "branch", "--show-current") == "main"
    assert take(repository, "bob").branch != worktree.branch


def test_a_project_below_the_top_works_in_the_same_place_of_its_worktree(repository: Path) -> None:
    (repository / "part").mkdir()
    commit(str(repository), "part/file")
    worktree = take(repository, project=repository / "part")
    assert worktree.folder == f"{worktree.root}/part"


def test_from_inside_a_linked_worktree_it_is_made_of_the_same_repository(repository: Path, tmp_path: Path) -> None:
    side = new_worktree(repository, tmp_path / "side")
    assert take(repository, project=side).repository == str(repository)


def test_one_that_was_left_is_used_again_as_it_is(repository: Path) -> None:
    first = take(repository)
    Path(first.folder, "half").write_text("half\n", encoding="utf-8")
    second = take(repository)
    assert second == first
    assert Path(second.folder, "half").exists()


def test_a_branch_that_was_left_is_used_again(repository: Path) -> None:
    first = take(repository)
    commit(first.folder)
    git(repository, "worktree", "remove", first.root)
    assert Path(take(repository).folder, "new").exists()


def test_an_untouched_one_is_taken_away_with_its_branch(repository: Path) -> None:
    worktree = take(repository)
    assert back(worktree) is None
    assert not Path(worktree.root).exists()
    assert branches(repository) == ["main"]
    assert "prunable" not in git(repository, "worktree", "list")


@pytest.mark.parametrize("name", ["README", "untracked"])
def test_uncommitted_work_is_never_deleted(repository: Path, name: str) -> None:
    worktree = take(repository)
    Path(worktree.folder, name).write_text("changed\n", encoding="utf-8")
    assert back(worktree) == "it holds changes that are not committed"
    assert Path(worktree.folder, name).read_text() == "changed\n"


def test_commits_that_are_nowhere_else_are_never_deleted(repository: Path) -> None:
    worktree = take(repository)
    commit(worktree.folder)
    assert back(worktree) == "its branch has commits that are nowhere else"
    assert branches(repository) == ["loopx/ann", "main"]


def test_merged_or_pushed_commits_need_not_be_kept(repository: Path, tmp_path: Path) -> None:
    merged = take(repository)
    commit(merged.folder, "one")
    git(repository, "merge", "--quiet", "loopx/ann")
    assert back(merged) is None
    pushed = take(repository)
    commit(pushed.folder, "two")
    git(tmp_path, "init", "--quiet", "--bare", "remote.git")
    git(repository, "remote", "add", "origin", str(tmp_path / "remote.git"))
    git(repository, "push", "--quiet", "origin", "loopx/ann")
    assert back(pushed) is None


def test_another_branch_or_a_loose_head_is_kept(repository: Path) -> None:
    worktree = take(repository)
    git(Path(worktree.folder), "checkout", "--quiet", "-b", "elsewhere")
    assert back(worktree) == "its branch was changed"
    git(Path(worktree.folder), "checkout", "--quiet", "--detach")
    assert what_would_be_lost(worktree, environment=os.environ) == "its branch was changed"


def test_what_is_not_ours_at_the_place_is_left_alone(repository: Path, tmp_path: Path) -> None:
    place = repository / ".loopx" / "worktrees" / "ann"
    place.mkdir(parents=True)
    (place / "precious").touch()
    with pytest.raises(WorktreeInUseError):
        take(repository)
    (place / "precious").unlink()
    place.rmdir()
    new_worktree(new_repository(tmp_path / "other"), place, "loopx/ann")
    with pytest.raises(WorktreeInUseError):
        take(repository)
    assert place.exists()


def test_a_link_at_the_place_is_not_followed(repository: Path, tmp_path: Path) -> None:
    side = new_worktree(repository, tmp_path / "side")
    place = repository / ".loopx" / "worktrees" / "ann"
    place.parent.mkdir(parents=True)
    place.symlink_to(side)
    with pytest.raises(WorktreeInUseError):
        take(repository)


def test_a_branch_that_is_checked_out_elsewhere_is_not_taken(repository: Path, tmp_path: Path) -> None:
    new_worktree(repository, tmp_path / "side", "loopx/ann")
    with pytest.raises(WorktreeInUseError, match="loopx/ann"):
        take(repository)


def test_without_a_repository_or_a_commit_there_is_none(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        take(tmp_path)
    git(tmp_path, "init", "--quiet")
    with pytest.raises(WorktreeInUseError):
        take(tmp_path.resolve())


def test_variables_that_move_git_elsewhere_do_not_reach_it(repository: Path, tmp_path: Path) -> None:
    other = new_repository(tmp_path / "other")
    moved = {**os.environ, "GIT_DIR": str(other / ".git"), "GIT_WORK_TREE": str(other)}
    worktree = take_worktree(str(repository), str(repository / "w"), "ann", environment=moved)
    assert git(Path(worktree.folder), "rev-parse", "HEAD") == git(repository, "rev-parse", "HEAD")
    assert "loopx/ann" not in branches(other)
