"""A run that an agent wrote back, and the identity of the place it was done in (W9.3)."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from loopx.core.instant import Instant
from loopx.core.todo import TaskClass, Todo
from loopx.core.value import Value
from loopx.core.workspace import Workspace, WorkspaceKind, classify_workspace


class RunKind(StrEnum):
    WORK = "work"  # something was done; may spend once it is validated
    STATUS = "status"  # only the state was looked at: no progress (W11.3)


class DeliveryWorkspace(Value):
    """Where a run was done, without path or credential."""

    task_repository: str | None
    workspace_kind: WorkspaceKind
    peer_independent_worktree_required: bool

    def __str__(self) -> str:
        return f"a {self.workspace_kind} of {self.task_repository or 'no repository'}"

    def is_like(self, other: DeliveryWorkspace) -> bool:
        """Whether both have one identity: the same kind of place of the same repository."""
        return (self.workspace_kind, self.task_repository) == (other.workspace_kind, other.task_repository)


class Run(Value):
    """One run of one agent on one todo."""

    run_id: str
    goal_id: str
    todo_id: str
    agent_id: str
    kind: RunKind
    evidence: str
    workspace: DeliveryWorkspace
    recorded_at: Instant
    validation: str | None = None
    next_action: str | None = None
    stop_condition: str | None = None

    @property
    def is_validated(self) -> bool:
        """Work with evidence and a validation: only this may spend."""
        return self.kind is RunKind.WORK and self.validation is not None

    def record(self) -> dict[str, Any]:
        """The flat record of the stored facts."""
        return {
            "run_id": self.run_id,
            "goal_id": self.goal_id,
            "todo_id": self.todo_id,
            "agent_id": self.agent_id,
            "kind": self.kind.value,
            "evidence": self.evidence,
            "validation": self.validation,
            "next_action": self.next_action,
            "stop_condition": self.stop_condition,
            "workspace_kind": self.workspace.workspace_kind.value,
            "task_repository": self.workspace.task_repository,
            "peer_independent_worktree_required": int(self.workspace.peer_independent_worktree_required),
            "recorded_at": self.recorded_at,
        }


def run_of(record: dict[str, Any]) -> Run:
    """The value of a flat record."""
    return Run(
        run_id=record["run_id"],
        goal_id=record["goal_id"],
        todo_id=record["todo_id"],
        agent_id=record["agent_id"],
        kind=RunKind(record["kind"]),
        evidence=record["evidence"],
        validation=record["validation"],
        next_action=record["next_action"],
        stop_condition=record["stop_condition"],
        workspace=DeliveryWorkspace(
            task_repository=record["task_repository"],
            workspace_kind=WorkspaceKind(record["workspace_kind"]),
            peer_independent_worktree_required=bool(record["peer_independent_worktree_required"]),
        ),
        recorded_at=record["recorded_at"],
    )


def delivered_in(workspace: Workspace, todo: Todo, *, is_team: bool) -> DeliveryWorkspace:
    """The identity of the place for work on this todo: what later refresh and spend must match."""
    wanted = todo.route.task_repository
    writes = todo.task_class is TaskClass.ADVANCEMENT and bool(todo.route.required_write_scopes)
    return DeliveryWorkspace(
        task_repository=wanted if wanted in workspace.repositories else workspace.task_repository,
        workspace_kind=classify_workspace(workspace, wanted),
        peer_independent_worktree_required=writes and is_team,
    )
