"""Grants that came into the registry by hand, remembered until a command settles them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from loopx.store.meta import write_fact

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopx.store.connection import Connection

_KEY = "hand_made_grants"

Holder = tuple[str, str]  # goal id, agent id


def hand_made_holders(db: Connection) -> tuple[Holder, ...]:
    """Whose grants were made or widened by hand, oldest first."""
    row = db.execute("SELECT value FROM meta WHERE key = ?", (_KEY,)).fetchone()
    return tuple((goal_id, agent_id) for goal_id, agent_id in json.loads(row[0])) if row else ()


def remember_holders(db: Connection, holders: Iterable[Holder]) -> None:
    """Add these."""
    _store(db, dict.fromkeys((*hand_made_holders(db), *holders)))


def forget_holder(db: Connection, holder: Holder) -> None:
    """A command has given or taken the grant: nothing about it is made by hand any more."""
    _store(db, [known for known in hand_made_holders(db) if known != holder])


def _store(db: Connection, holders: Iterable[Holder]) -> None:
    text = json.dumps(list(holders), ensure_ascii=False)
    write_fact(db, _KEY, text)
