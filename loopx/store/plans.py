"""Plans in the database; the newest of an agent decides whether it may start anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.core.plan import CLOSED_BY, Plan, PlanStatus

if TYPE_CHECKING:
    from loopx.store.connection import Connection
    from loopx.store.transaction import Transaction

_KEY = ("plan_id",)
_COLUMNS = ", ".join(Plan._fields)
_OF_AGENT = f"SELECT {_COLUMNS} FROM plans WHERE goal_id = ? AND agent_id = ? ORDER BY sequence DESC LIMIT 1"
_GATE = "SELECT plan_id, status, reviewer FROM plans WHERE goal_id = ? AND agent_id = ? ORDER BY sequence DESC LIMIT 1"


def store_plan(tx: Transaction, plan: Plan) -> None:
    """Insert the plan, or store what has become of it."""
    tx.put("plans", _KEY, plan.record())


def find_plan(db: Connection, plan_id: str) -> Plan | None:
    """The plan of that id."""
    row = db.execute(f"SELECT {_COLUMNS} FROM plans WHERE plan_id = ?", (plan_id,)).fetchone()
    return _from_row(row) if row else None


def newest_plan(db: Connection, goal_id: str, agent_id: str) -> Plan | None:
    """The agent's last plan on the goal; None where it never submitted one."""
    row = db.execute(_OF_AGENT, (goal_id, agent_id)).fetchone()
    return _from_row(row) if row else None


def closed_gate(db: Connection, goal_id: str, agent_id: str) -> tuple[str, str, str] | None:
    """Id, status and reviewer of the plan that keeps the agent from starting work; None where nothing does."""
    row = db.execute(_GATE, (goal_id, agent_id)).fetchone()
    return tuple(row) if row is not None and row[1] in CLOSED_BY else None


def _from_row(row: tuple[Any, ...]) -> Plan:
    plan = Plan(*row)
    return plan._replace(status=PlanStatus(plan.status))
