"""Acceptance criteria that were met, and by what evidence (W10.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loopx.store.connection import Connection


def criteria_evidence(db: Connection, goal_id: str) -> dict[str, tuple[str, str]]:
    """Criterion id → its evidence and who gave it."""
    sql = "SELECT criterion_id, evidence, met_by FROM criteria_met WHERE goal_id = ?"
    return {criterion_id: (evidence, met_by) for criterion_id, evidence, met_by in db.execute(sql, (goal_id,))}
