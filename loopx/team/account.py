"""Write-back and spend: a completed todo is one validated run and one slot of the goal's budget (decision.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.place import workspace_at
from loopx.app.run import RunReport, refresh_state
from loopx.app.spend import Spend, spend_slot
from loopx.core.errors import ConflictError, RefusedError
from loopx.core.run import RunKind
from loopx.store.spends import is_spent, newest_validated

if TYPE_CHECKING:
    from loopx.app.project import Snapshot
    from loopx.core.workspace import Workspace
    from loopx.team.runner import RunResult
    from loopx.team.seat import Seat


def book(seat: Seat, todo_id: str, result: RunResult, evidence: str, seconds: float) -> str | None:
    """Record the run that has completed the todo, unless its agent did so itself, and spend it once.

    What the rules refuse, such as a workspace that does not fit, is told in words: the todo stays completed.
    """
    try:
        workspace = workspace_at(seat.folder)
        run_id = _recorded(seat, todo_id) or _record(seat, todo_id, evidence, workspace)
        if not seat.project.read(lambda snapshot: is_spent(snapshot.db, run_id)):
            spend = Spend(run_id, result.tokens, result.cost, seconds)
            spend_slot(seat.project, seat.call("slot_spent"), spend, workspace)
    except (RefusedError, ConflictError) as refused:
        return f"{todo_id} is completed, and its run is not accounted for: {refused.message} [{refused.code}]"
    return None


def _recorded(seat: Seat, todo_id: str) -> str | None:
    """The run that the agent wrote back by itself."""

    def query(snapshot: Snapshot) -> str | None:
        run = newest_validated(snapshot.db, seat.goal_id, todo_id, seat.agent_id)
        return run.run_id if run is not None else None

    return seat.project.read(query)


def _record(seat: Seat, todo_id: str, evidence: str, workspace: Workspace) -> str:
    report = RunReport(
        todo_id,
        RunKind.WORK,
        evidence=evidence,
        validation="the completion was accepted under its live lease",
    )
    document = refresh_state(seat.project, seat.call("run_recorded"), report, workspace)
    return str(document["run"]["run_id"])
