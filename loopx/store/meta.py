"""Small facts about the state itself, as names under a key."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopx.store.connection import Connection


_WRITE = "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"


def write_fact(db: Connection, key: str, value: str) -> None:
    """Keep the value under the key, in place of what was there."""
    db.execute(_WRITE, (key, value))


def remembered_names(db: Connection, key: str) -> tuple[str, ...]:
    """The names that were remembered under the key."""
    row = db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return tuple(json.loads(row[0])) if row else ()


def remember_names(db: Connection, key: str, names: Iterable[str]) -> None:
    """Add names under the key."""
    text = json.dumps(list(dict.fromkeys((*remembered_names(db, key), *names))), ensure_ascii=False)
    write_fact(db, key, text)
