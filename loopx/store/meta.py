"""Small facts about the state itself, as names under a key."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable


def remembered_names(db: sqlite3.Connection, key: str) -> tuple[str, ...]:
    """The names that were remembered under the key."""
    row = db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return tuple(json.loads(row[0])) if row else ()


def remember_names(db: sqlite3.Connection, key: str, names: Iterable[str]) -> None:
    """Add names under the key."""
    text = json.dumps(list(dict.fromkeys((*remembered_names(db, key), *names))), ensure_ascii=False)
    db.execute("INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", (key, text))
