"""Recorded handoffs, and what runs say about going on from them (W11)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.core.handoff import Handoff, handoff_of
from loopx.store.spends import RUN_COLUMNS, run_of_row

if TYPE_CHECKING:
    from loopx.core.run import Run
    from loopx.store.connection import Connection

_COLUMNS = Handoff._fields
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM handoffs"
_WORK_RUNS = "SELECT count(*) FROM runs WHERE goal_id = ? AND agent_id = ? AND kind = 'work'"


def find_handoff(db: Connection, goal_id: str, to_agent: str | None = None) -> Handoff | None:
    """The newest handoff of the goal, to that agent where one is named."""
    sql = f"{_SELECT} WHERE goal_id = :goal AND (to_agent = :to OR :to IS NULL) ORDER BY sequence DESC LIMIT 1"
    row = db.execute(sql, {"goal": goal_id, "to": to_agent}).fetchone()
    return _handoff(row) if row else None


def select_handoffs(db: Connection, goal_id: str, *, before: int | None, limit: int) -> list[Handoff]:
    """The newest first, those recorded before the sequence `before`."""
    sql = f"{_SELECT} WHERE goal_id = :goal AND (sequence < :before OR :before IS NULL) ORDER BY sequence DESC LIMIT :n"
    return [_handoff(row) for row in db.execute(sql, {"goal": goal_id, "before": before, "n": limit})]


def handoff_total(db: Connection, goal_id: str) -> int:
    """How many the goal has."""
    return int(db.execute("SELECT count(*) FROM handoffs WHERE goal_id = ?", (goal_id,)).fetchone()[0])


def work_runs(db: Connection, goal_id: str, agent_id: str) -> int:
    """How many work runs the agent has written back on the goal; status runs are no progress (W11.3)."""
    return int(db.execute(_WORK_RUNS, (goal_id, agent_id)).fetchone()[0])


def validated_runs(db: Connection, goal_id: str, limit: int) -> list[Run]:
    """The newest validated work runs."""
    return _newest_runs(db, goal_id, "kind = 'work' AND validation IS NOT NULL", limit)


def newest_direction(db: Connection, goal_id: str) -> Run | None:
    """The newest run that says what should be done next."""
    return next(iter(_newest_runs(db, goal_id, "next_action IS NOT NULL", 1)), None)


def newest_stop(db: Connection, goal_id: str, *, on_open_work: bool) -> Run | None:
    """The newest run that says when to stop; with `on_open_work`, of those whose todo is not closed."""
    unclosed = " AND EXISTS (SELECT 1 FROM todos t WHERE t.todo_id = runs.todo_id AND t.closure IS NULL)"
    condition = "stop_condition IS NOT NULL" + (unclosed if on_open_work else "")
    return next(iter(_newest_runs(db, goal_id, condition, 1)), None)


def _newest_runs(db: Connection, goal_id: str, condition: str, limit: int) -> list[Run]:
    sql = (
        f"SELECT {', '.join(RUN_COLUMNS)} FROM runs WHERE goal_id = ? AND {condition}"
        " ORDER BY recorded_at DESC, run_id DESC LIMIT ?"
    )
    return [run_of_row(row) for row in db.execute(sql, (goal_id, limit))]


def _handoff(row: tuple[Any, ...]) -> Handoff:
    return handoff_of(dict(zip(_COLUMNS, row, strict=True)))
