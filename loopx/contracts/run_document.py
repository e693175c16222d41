"""Runs and spends on the wire."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.core.instant import format_instant

if TYPE_CHECKING:
    from loopx.core.run import DeliveryWorkspace, Run

Document = dict[str, Any]


def run_document(run: Run) -> Document:
    """A run as it was recorded."""
    return {
        "run_id": run.run_id,
        "goal_id": run.goal_id,
        "todo_id": run.todo_id,
        "agent_id": run.agent_id,
        "run_kind": run.kind.value,
        "validated": run.is_validated,
        "evidence": run.evidence,
        "validation": run.validation,
        "next_action": run.next_action,
        "stop_condition": run.stop_condition,
        "delivery_workspace": workspace_document(run.workspace),
        "recorded_at": format_instant(run.recorded_at),
    }


def workspace_document(workspace: DeliveryWorkspace) -> Document:
    """Identity without credential or path (W9.3)."""
    return {
        "task_repository": workspace.task_repository,
        "workspace_kind": workspace.workspace_kind.value,
        "peer_independent_worktree_required": workspace.peer_independent_worktree_required,
    }
