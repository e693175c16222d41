"""Where delivery happens, told without a path or a credential, and how it is classified (W9)."""

from __future__ import annotations

from enum import StrEnum

from loopx.core.value import Value


class WorkspaceKind(StrEnum):
    """The wire names of a place; only the last one is fit for a peer's repository work."""

    NOT_GIT_WORKTREE = "not_git_worktree"  # no checkout: outside of git, a bare repository, a git folder
    FOREIGN_GIT_WORKTREE = "foreign_git_worktree"  # a checkout of another repository
    CANONICAL_CHECKOUT = "canonical_checkout"  # the main worktree of a clone, or a submodule's checkout
    INDEPENDENT_GIT_WORKTREE = "independent_git_worktree"  # a linked worktree


class Workspace(Value):
    """What a probe saw: kind without regard to a wanted repository, and every remote's identity.

    `repositories` are `git:host/owner/repo`, without repeats, `origin` first.
    """

    kind: WorkspaceKind
    repositories: tuple[str, ...] = ()

    @property
    def task_repository(self) -> str | None:
        """The identity that the place goes by; None without a remote on a host."""
        return self.repositories[0] if self.repositories else None


NOWHERE = Workspace(WorkspaceKind.NOT_GIT_WORKTREE)


def classify_workspace(workspace: Workspace, required_repository: str | None) -> WorkspaceKind:
    """What the place is to work on that repository; without one, any repository will do (W9.2).

    A checkout none of whose remotes is the repository is foreign, one without a remote too.
    """
    if workspace.kind is WorkspaceKind.NOT_GIT_WORKTREE:
        return workspace.kind
    if required_repository is not None and required_repository not in workspace.repositories:
        return WorkspaceKind.FOREIGN_GIT_WORKTREE
    return workspace.kind
