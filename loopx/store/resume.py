"""Whether a resume condition holds at a moment: the one place that says so (W10.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.store.derived import condition_state

if TYPE_CHECKING:
    from loopx.core.goal import Goal
    from loopx.core.instant import Instant
    from loopx.core.todo import Resume
    from loopx.store.connection import Connection


def condition_holds(db: Connection, resume: Resume, goal: Goal, now: Instant) -> bool:
    """True once the awaited todo is done, the fact recorded, the pool free or the time come."""
    if resume.kind == "at":
        return resume.at is not None and resume.at <= now
    if resume.kind == "capacity_available":
        return resume.ref in pools_with_room(db, goal, now)
    return condition_state(db, resume) == 1


def pools_with_room(db: Connection, goal: Goal, now: Instant) -> frozenset[str]:
    """The goal's pools of which fewer places are leased at `now` than they have."""
    if not goal.pools:
        return frozenset()
    taken = leased_places(db, goal.goal_id, now)
    return frozenset(pool.name for pool in goal.pools if taken.get(pool.name, 0) < pool.capacity)


def leased_places(db: Connection, goal_id: str, now: Instant) -> dict[str, int]:
    """How many places of each of the goal's pools are under a live lease."""
    sql = (
        "SELECT lease_pool, count(*) FROM todos WHERE goal_id = ? AND lease_pool IS NOT NULL AND lease_expires_at > ?"
        " GROUP BY lease_pool"
    )
    return dict(db.execute(sql, (goal_id, now)).fetchall())
