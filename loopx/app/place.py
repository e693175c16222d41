"""The workspace of a call: looked at only where a decision could depend on it (W9.2)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from loopx.core.errors import UsageError

if TYPE_CHECKING:
    from loopx.core.decision.snapshot import Snapshot
    from loopx.core.workspace import Workspace


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
