"""What every write begins with, read by one statement: a statement each would cost as much as the claim itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.value import Value
from loopx.store.events import Link

if TYPE_CHECKING:
    import sqlite3

    from loopx.core.instant import Instant

_OPENING = (
    "SELECT e.sequence, e.digest, e.at, g.edited = g.checked,"
    " (SELECT value FROM meta WHERE key = 'project_id'), (SELECT value FROM meta WHERE key = 'registry_sha256'),"
    " EXISTS (SELECT 1 FROM todos WHERE lease_id IS NOT NULL AND lease_expires_at <= ?)"
    " FROM graph_guard g LEFT JOIN events e ON e.sequence = (SELECT max(sequence) FROM events)"
)


class Opening(Value):
    """The state of the database at the instant of a write."""

    last: Link | None  # the end of the history
    is_acknowledged: bool  # whether no foreign hand has touched the graph since our last write
    state: str
    registry_sha256: str | None  # what the last write saw of the registry file
    lease_ended: bool  # whether any lease is over that is still stored


def read_opening(db: sqlite3.Connection, now: Instant) -> Opening:
    """The opening of a write at `now`, in its own transaction."""
    sequence, digest, at, acknowledged, state, registry_sha256, ended = db.execute(_OPENING, (now,)).fetchone()
    last = Link(sequence, digest, at) if sequence is not None else None
    return Opening(last, bool(acknowledged), state, registry_sha256, bool(ended))
