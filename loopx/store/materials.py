"""What is recorded of materials: the revisions that agents have read, and those that somebody stated."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loopx.store.connection import Connection

_READS = "SELECT material_id, revision FROM material_reads WHERE goal_id = ? AND agent_id = ?"
_STATED = "SELECT material_id, revision FROM material_revisions WHERE goal_id = ?"


def read_revisions(db: Connection, goal_id: str, agent_id: str) -> dict[str, str]:
    """Material id → the revision that the agent acknowledged last."""
    return dict(db.execute(_READS, (goal_id, agent_id)).fetchall())


def stated_revisions(db: Connection, goal_id: str) -> dict[str, str]:
    """Material id → the revision that somebody stated last, of what is not read here."""
    return dict(db.execute(_STATED, (goal_id,)).fetchall())
