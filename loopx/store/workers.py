"""Workers in the database: one row an agent, written when a worker starts and when it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.worker import Worker

if TYPE_CHECKING:
    from loopx.store.connection import Connection
    from loopx.store.transaction import Transaction

_COLUMNS = ", ".join(Worker._fields)


def store_worker(tx: Transaction, worker: Worker) -> None:
    """The agent's worker, in place of the one before it."""
    tx.put("workers", ("goal_id", "agent_id"), worker.record())


def find_worker(db: Connection, goal_id: str, agent_id: str) -> Worker | None:
    """The agent's present or last worker on the goal."""
    sql = f"SELECT {_COLUMNS} FROM workers WHERE goal_id = ? AND agent_id = ?"
    row = db.execute(sql, (goal_id, agent_id)).fetchone()
    return Worker(*row) if row else None
