"""The history: one event a mutation, in the same transaction, each holding the digest of the last."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from loopx import failpoint
from loopx.core.digest import sha256_hex
from loopx.core.value import Value

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from loopx.core.instant import Instant
    from loopx.store.transaction import Transaction

_CANONICAL = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))  # making one for each text costs as much again
PAYLOAD_VERSION = 1
FIRST_DIGEST = ""
ATTEMPT_NOTED = "attempt_noted"  # its receipt holds what a late holder submitted

Changes = dict[str, Any]  # table → key → column → [before, after]; JSON values only

COLUMNS = (
    "sequence, at, actor_kind, actor, action, goal_id, todo_id, changes, reason, receipt,"
    " operation_id, payload_version, previous_digest, digest"
)
_INSERT = f"INSERT INTO events ({COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
_LAST = "SELECT sequence, digest FROM events ORDER BY sequence DESC LIMIT 1"


class Event(Value):
    """What happened, by whom, and every value before and after."""

    at: Instant
    actor_kind: str
    actor: str
    action: str
    goal_id: str | None
    todo_id: str | None
    changes: Changes
    reason: str | None
    receipt: dict[str, Any]
    operation_id: str


def last_sequence(db: sqlite3.Connection) -> int:
    """The number of the newest event, 0 before the first."""
    row = db.execute(_LAST).fetchone()
    return int(row[0]) if row else 0


def last_instant(db: sqlite3.Connection) -> Instant | None:
    """When the newest event happened, by the clock of its writer."""
    row = db.execute("SELECT at FROM events ORDER BY sequence DESC LIMIT 1").fetchone()
    return int(row[0]) if row else None


def last_sequence_at(db: sqlite3.Connection, moment: Instant) -> int:
    """The number of the last event that happened not later than that, 0 before the first."""
    row = db.execute("SELECT max(sequence) FROM events WHERE at <= ?", (moment,)).fetchone()
    return int(row[0] or 0)


def instant_of(db: sqlite3.Connection, sequence: int) -> Instant | None:
    """When that event happened; None for a number that no event has."""
    row = db.execute("SELECT at FROM events WHERE sequence = ?", (sequence,)).fetchone()
    return int(row[0]) if row else None


def select_events(db: sqlite3.Connection, where: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
    """The rows of a `WHERE … ORDER BY …` text, in the order of `COLUMNS`."""
    return db.execute(f"SELECT {COLUMNS} FROM events {where}", values).fetchall()


def count_events(db: sqlite3.Connection, todo_id: str, action: str) -> int:
    """How many events of that kind the todo has."""
    sql = "SELECT count(*) FROM events WHERE todo_id = ? AND action = ?"
    return int(db.execute(sql, (todo_id, action)).fetchone()[0])


def last_actor(db: sqlite3.Connection, todo_id: str, action: str) -> str | None:
    """Who did that to the todo last; None where nobody did."""
    sql = "SELECT actor FROM events WHERE todo_id = ? AND action = ? ORDER BY sequence DESC LIMIT 1"
    row = db.execute(sql, (todo_id, action)).fetchone()
    return str(row[0]) if row else None


def has_event(db: sqlite3.Connection, todo_id: str, action: str, receipt: dict[str, Any]) -> bool:
    """Whether the todo has an event of that kind that says exactly this."""
    sql = "SELECT 1 FROM events WHERE todo_id = ? AND action = ? AND receipt = ?"
    return db.execute(sql, (todo_id, action, canonical(receipt))).fetchone() is not None


def append_event(db: sqlite3.Connection, event: Event) -> int:
    """Write the event as the next link of the chain and return its sequence."""
    row = db.execute(_LAST).fetchone() or (0, FIRST_DIGEST)
    stored = (
        row[0] + 1,
        event.at,
        event.actor_kind,
        event.actor,
        event.action,
        event.goal_id,
        event.todo_id,
        canonical(event.changes),
        event.reason,
        canonical(event.receipt),
        event.operation_id,
        PAYLOAD_VERSION,
        row[1],
    )
    db.execute(_INSERT, (*stored, digest_of(stored)))
    failpoint.reach("event: appended")
    return int(stored[0])


def append_system_event(
    tx: Transaction,
    action: str,
    changes: Changes,
    *,
    goal_id: str | None = None,
    todo_id: str | None = None,
    reason: str | None = None,
    receipt: dict[str, Any] | None = None,
) -> int:
    """An event that no caller asked for: time went by, or a file changed under us."""
    event = Event(
        at=tx.now,
        actor_kind="system",
        actor="system",
        action=action,
        goal_id=goal_id,
        todo_id=todo_id,
        changes=changes,
        reason=reason,
        receipt=receipt or {},
        operation_id=tx.ids.new("op"),
    )
    return append_event(tx.db, event)


def digest_of(stored: Sequence[object]) -> str:
    """SHA-256 over everything a row holds before its own digest."""
    return sha256_hex(canonical(list(stored)).encode("utf-8"))


def canonical(value: object) -> str:
    """The one JSON spelling of a value that is digested or compared."""
    return _CANONICAL.encode(value)
