"""The quota ledger: what was spent in the window, and by whom (decision.md, stage 13)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.core.run import Run, run_of
from loopx.core.value import Value

if TYPE_CHECKING:
    from loopx.core.goal import QuotaPolicy
    from loopx.core.instant import Instant
    from loopx.store.connection import Connection

RUN_COLUMNS = (
    "run_id", "goal_id", "todo_id", "agent_id", "kind", "evidence", "validation", "next_action", "stop_condition",
    "workspace_kind", "task_repository", "peer_independent_worktree_required", "recorded_at",
)  # fmt: skip


class Usage(Value):
    """What the window holds; `resets_at` is when its oldest spend leaves it."""

    slots: int = 0
    tokens: int = 0
    cost: float = 0.0
    seconds: float = 0.0
    resets_at: Instant | None = None


def usage_of(db: Connection, goal_id: str, quota: QuotaPolicy, now: Instant) -> Usage:
    """The spends of the rolling window that ends now: a spend counts in `[spent_at, spent_at + window)`."""
    window = quota.window_us
    since = now - window if window is not None else -1
    sql = (
        "SELECT count(*), coalesce(sum(tokens), 0), coalesce(sum(cost), 0.0), coalesce(sum(seconds), 0.0),"
        " min(spent_at) FROM spends"
        " WHERE goal_id = ? AND spent_at > ?"
    )
    slots, tokens, cost, seconds, first = db.execute(sql, (goal_id, since)).fetchone()
    resets_at = first + window if first is not None and window is not None else None
    return Usage(slots, tokens, cost, seconds, resets_at)


def find_run(db: Connection, run_id: str) -> Run | None:
    """The run of that id."""
    row = db.execute(f"SELECT {', '.join(RUN_COLUMNS)} FROM runs WHERE run_id = ?", (run_id,)).fetchone()
    return run_of_row(row) if row else None


def run_of_row(row: tuple[Any, ...]) -> Run:
    """The run of a row with `RUN_COLUMNS`."""
    return run_of(dict(zip(RUN_COLUMNS, row, strict=True)))


def delivered_before(db: Connection, run: Run) -> Run | None:
    """The newest validated work run of the same agent on the same todo."""
    return newest_validated(db, run.goal_id, run.todo_id, run.agent_id)


def newest_validated(db: Connection, goal_id: str, todo_id: str, agent_id: str) -> Run | None:
    """The agent's newest validated work run on the todo."""
    sql = (
        f"SELECT {', '.join(RUN_COLUMNS)} FROM runs WHERE +goal_id = ? AND todo_id = ? AND agent_id = ?"
        " AND kind = 'work' AND validation IS NOT NULL ORDER BY recorded_at DESC, run_id LIMIT 1"
    )
    row = db.execute(sql, (goal_id, todo_id, agent_id)).fetchone()
    return run_of_row(row) if row else None


def is_spent(db: Connection, run_id: str) -> bool:
    """Whether the run was spent on already."""
    return db.execute("SELECT 1 FROM spends WHERE run_id = ?", (run_id,)).fetchone() is not None


def usage_by(db: Connection, column: str, goal_id: str, since: Instant) -> list[tuple[Any, ...]]:
    """Slots, tokens, cost and seconds of a goal by agent or by day, from `since` on."""
    key = {"agent": "agent_id", "day": "spent_at / 86400000000"}[column]
    sql = (
        f"SELECT {key}, count(*), sum(tokens), sum(cost), sum(seconds) FROM spends"
        f" WHERE goal_id = ? AND spent_at > ? GROUP BY {key} ORDER BY {key}"
    )
    return db.execute(sql, (goal_id, since)).fetchall()
