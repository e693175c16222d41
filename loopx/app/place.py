"""The workspace of a call: looked at only where something could depend on it (W9.2, W9.3)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from loopx.core.errors import UsageError, WorkspaceMismatchError

if TYPE_CHECKING:
    from loopx.core.decision.snapshot import Snapshot
    from loopx.core.run import DeliveryWorkspace, Run
    from loopx.core.workspace import Workspace


def working_directory() -> str | None:
    """The current folder, or None where it was deleted."""
    try:
        return os.getcwd()
    except OSError:
        return None


def needed_workspace(snapshot: Snapshot, folder: str | None) -> Workspace | None:
    """The workspace at the folder, if peers could meet there: a team, and work that writes."""
    writes = any(cohort.head.route.required_write_scopes for cohort in snapshot.cohorts)
    return workspace_at(folder) if writes and len(snapshot.goal.active_agents) > 1 else None


def workspace_at(folder: str | None) -> Workspace:
    """The identity of the folder, of which no path is kept; UsageError where it does not exist."""
    from loopx.core.workspace import NOWHERE
    from loopx.workspace.probe import probe_workspace

    if folder is None:
        return NOWHERE
    if not os.path.isdir(folder):
        raise UsageError(f"there is no folder {folder!r}", hint="Name the folder that you work in.")
    return probe_workspace(folder)


def refuse_other_place(recorded: Run, here: DeliveryWorkspace) -> None:
    """WorkspaceMismatchError unless this is the kind of place in which the run was recorded (W9.3)."""
    there = recorded.workspace
    if not here.is_like(there):
        raise WorkspaceMismatchError(
            f"{recorded.run_id} on {recorded.todo_id} was delivered from {there}; this is {here}",
            hint="Use the workspace in which that run was recorded.",
            run_id=recorded.run_id,
            todo_id=recorded.todo_id,
            current_workspace=here.workspace_kind.value,
            recorded_workspace=there.workspace_kind.value,
        )
