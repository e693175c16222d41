"""A place is fit for a peer's repository work only if it is a linked worktree of that repository (W9)."""

from __future__ import annotations

import pytest

from loopx.core.workspace import NOWHERE, Workspace, WorkspaceKind, classify_workspace

PROJECT = "git:github.com/example/project"
FORK = "git:github.com/somebody/project"


@pytest.mark.parametrize("kind", [WorkspaceKind.CANONICAL_CHECKOUT, WorkspaceKind.INDEPENDENT_GIT_WORKTREE])
def test_a_checkout_of_the_wanted_repository_is_what_it_is(kind: WorkspaceKind) -> None:
    assert classify_workspace(Workspace(kind, (PROJECT,)), PROJECT) is kind


def test_any_of_the_remotes_may_be_the_wanted_repository() -> None:
    place = Workspace(WorkspaceKind.INDEPENDENT_GIT_WORKTREE, (FORK, PROJECT))
    assert classify_workspace(place, PROJECT) is WorkspaceKind.INDEPENDENT_GIT_WORKTREE


@pytest.mark.parametrize("repositories", [(), (FORK,)])
def test_a_checkout_without_the_wanted_remote_is_foreign(repositories: tuple[str, ...]) -> None:
    place = Workspace(WorkspaceKind.INDEPENDENT_GIT_WORKTREE, repositories)
    assert classify_workspace(place, PROJECT) is WorkspaceKind.FOREIGN_GIT_WORKTREE


def test_no_checkout_is_never_foreign() -> None:
    assert classify_workspace(NOWHERE, PROJECT) is WorkspaceKind.NOT_GIT_WORKTREE


def test_without_a_wanted_repository_none_is_foreign() -> None:
    place = Workspace(WorkspaceKind.INDEPENDENT_GIT_WORKTREE)
    assert classify_workspace(place, None) is WorkspaceKind.INDEPENDENT_GIT_WORKTREE


def test_the_place_goes_by_its_first_repository() -> None:
    assert Workspace(WorkspaceKind.CANONICAL_CHECKOUT, (FORK, PROJECT)).task_repository == FORK
    assert NOWHERE.task_repository is None
