"""The registry's text in the database, on a server that several hosts share (design.md §3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loopx.store.connection import Connection

_WRITE = "INSERT INTO registry_document VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET content = excluded.content"


def stored_registry(db: Connection) -> bytes:
    """The bytes that were stored last; `init` stores the first, in the transaction that makes the tables."""
    (content,) = db.execute("SELECT content FROM registry_document WHERE id = 1").fetchone()
    return bytes(content)


def store_registry(db: Connection, data: bytes) -> None:
    """Keep these bytes."""
    db.execute(_WRITE, (data,))
