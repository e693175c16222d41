"""Edits of the registry that no command made: an event for each, and the grants they gave (design.md §3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.grant_change import widened_grants
from loopx.registry.cache import decode_goal
from loopx.store.events import append_system_event
from loopx.store.hand_made import hand_made_holders, remember_holders
from loopx.store.registry_cache import cached_goal, last_seen_sha256

if TYPE_CHECKING:
    from loopx.app.project import Registry
    from loopx.core.goal import Goal, Grant
    from loopx.store.connection import Connection
    from loopx.store.transaction import Transaction

GoalGrant = tuple[str, "Grant"]  # goal id, grant


def record_hand_edit(tx: Transaction, seen: str, registry: Registry) -> None:
    """Write `registry_edited` with both digests and the grants that are new.

    Called before the cache is filled anew: the goals as they were are in it.
    """
    granted = _granted_by_hand(tx.db, seen, registry)
    remember_holders(tx.db, ((goal_id, grant.agent_id) for goal_id, grant in granted))
    append_system_event(
        tx,
        "registry_edited",
        {"registry": {"sha256": {"sha256": [seen, registry.sha256]}}},
        receipt={"new_grants": [[goal_id, *grant] for goal_id, grant in granted]} if granted else {},
    )


def hand_made_grants(db: Connection, registry: Registry) -> list[GoalGrant]:
    """The grants that were made by hand and still exist, those of an edit that no write has met yet too."""
    holders = dict.fromkeys(hand_made_holders(db))
    seen = last_seen_sha256(db)
    if seen not in (None, registry.sha256):
        holders |= {(goal_id, grant.agent_id): None for goal_id, grant in _granted_by_hand(db, seen or "", registry)}
    return [
        (goal.goal_id, grant)
        for goal in registry.goals()
        for grant in goal.grants
        if (goal.goal_id, grant.agent_id) in holders
    ]


def _granted_by_hand(db: Connection, seen: str, registry: Registry) -> list[GoalGrant]:
    return [
        (goal.goal_id, grant)
        for goal in registry.goals()
        for grant in widened_grants(_cached(db, seen, goal.goal_id), goal)
    ]


def _cached(db: Connection, sha256: str, goal_id: str) -> Goal | None:
    text = cached_goal(db, sha256, goal_id)
    return decode_goal(text) if text is not None else None
