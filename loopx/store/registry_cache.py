"""The parsed registry, kept under the digest of the file's bytes; only writes fill it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx import failpoint
from loopx.store.meta import write_fact

if TYPE_CHECKING:
    from collections.abc import Sequence

    from loopx.store.connection import Connection

LAST_SEEN = "registry_sha256"  # the digest that the newest event knows of


def cached_goal_ids(db: Connection, sha256: str) -> tuple[str, ...]:
    """The goals of the registry with that digest, in file order; empty where it is not cached."""
    sql = "SELECT goal_id FROM registry_goals WHERE sha256 = ? ORDER BY position"
    return tuple(row[0] for row in db.execute(sql, (sha256,)))


def cached_goal(db: Connection, sha256: str, goal_id: str) -> str | None:
    """The encoded goal, or None."""
    sql = "SELECT goal FROM registry_goals WHERE sha256 = ? AND goal_id = ?"
    row = db.execute(sql, (sha256, goal_id)).fetchone()
    return row[0] if row else None


def fill_cache(db: Connection, sha256: str, goals: Sequence[tuple[str, str]]) -> None:
    """Replace the cache by the (goal id, encoded goal) pairs of one registry."""
    db.execute("DELETE FROM registry_goals")
    failpoint.reach("cache: emptied")
    rows = [(sha256, position, goal_id, goal) for position, (goal_id, goal) in enumerate(goals)]
    db.executemany("INSERT INTO registry_goals VALUES (?,?,?,?)", rows)


def last_seen_sha256(db: Connection) -> str | None:
    """The digest that the newest write saw; None before the first."""
    row = db.execute("SELECT value FROM meta WHERE key = ?", (LAST_SEEN,)).fetchone()
    return row[0] if row else None


def see_sha256(db: Connection, sha256: str) -> None:
    """Remember the digest."""
    write_fact(db, LAST_SEEN, sha256)
