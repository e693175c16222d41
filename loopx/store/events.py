"""The history: one event a mutation, in the same transaction, each holding the digest of the last."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from loopx import failpoint
from loopx.core.digest import sha256_hex
from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from loopx.core.instant import Instant
    from loopx.ports import IdSource
    from loopx.store.connection import Connection
    from loopx.store.transaction import Transaction

# Made once, since making one for each text costs as much again; our own values hold no circles.
_CANONICAL = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False)
PAYLOAD_VERSION = 2  # from 2 on an operation id that no caller chose ends with the number of its event
FIRST_DIGEST = ""
ATTEMPT_NOTED = "attempt_noted"  # its receipt holds what a late holder submitted

Changes = dict[str, Any]  # table → key → column → [before, after]; JSON values only

COLUMNS = (
    "sequence, at, actor_kind, actor, action, goal_id, todo_id, changes, reason, receipt,"
    " operation_id, payload_version, previous_digest, digest"
)
_INSERT = f"INSERT INTO events ({COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
_LAST = "SELECT sequence, digest, at FROM events WHERE sequence = (SELECT max(sequence) FROM events)"


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


class Link(Value):
    """The end of the chain, from which the next event follows."""

    sequence: int
    digest: str
    at: Instant


def last_link(db: Connection) -> Link | None:
    """The newest event of the chain, None before the first."""
    row = db.execute(_LAST).fetchone()
    return Link(*row) if row else None


def last_sequence(db: Connection) -> int:
    """The number of the newest event, 0 before the first."""
    last = last_link(db)
    return last.sequence if last else 0


def last_instant(db: Connection) -> Instant | None:
    """When the newest event happened, by the clock of its writer."""
    last = last_link(db)
    return last.at if last else None


def last_sequence_at(db: Connection, moment: Instant) -> int:
    """The number of the last event that happened not later than that, 0 before the first."""
    row = db.execute("SELECT max(sequence) FROM events WHERE at <= ?", (moment,)).fetchone()
    return int(row[0] or 0)


def instant_of(db: Connection, sequence: int) -> Instant | None:
    """When that event happened; None for a number that no event has."""
    row = db.execute("SELECT at FROM events WHERE sequence = ?", (sequence,)).fetchone()
    return int(row[0]) if row else None


def select_events(db: Connection, where: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
    """The rows of a `WHERE … ORDER BY …` text, in the order of `COLUMNS`."""
    return db.execute(f"SELECT {COLUMNS} FROM events {where}", values).fetchall()


def count_events(db: Connection, todo_id: str, action: str) -> int:
    """How many events of that kind the todo has."""
    sql = "SELECT count(*) FROM events WHERE todo_id = ? AND action = ?"
    return int(db.execute(sql, (todo_id, action)).fetchone()[0])


def last_actor(db: Connection, todo_id: str, action: str) -> str | None:
    """Who did that to the todo last; None where nobody did."""
    sql = "SELECT actor FROM events WHERE todo_id = ? AND action = ? ORDER BY sequence DESC LIMIT 1"
    row = db.execute(sql, (todo_id, action)).fetchone()
    return str(row[0]) if row else None


def has_event(db: Connection, todo_id: str, action: str, receipt: dict[str, Any]) -> bool:
    """Whether the todo has an event of that kind that says exactly this."""
    sql = "SELECT 1 FROM events WHERE todo_id = ? AND action = ? AND receipt = ?"
    return db.execute(sql, (todo_id, action, canonical(receipt))).fetchone() is not None


def next_sequence(last: Link | None) -> int:
    """The number of the event that follows."""
    return last.sequence + 1 if last else 1


def new_operation_id(ids: IdSource, last: Link | None) -> str:
    """An id for the operation of the next event, which is found by the number at its end."""
    return f"{ids.new('op')}_{next_sequence(last)}"


def append_event(db: Connection, event: Event, last: Link | None) -> Link:
    """Write the event behind the `last` one and return it as the new end of the chain."""
    sequence = next_sequence(last)
    stored = (
        sequence,
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
        last.digest if last else FIRST_DIGEST,
    )
    new = Link(sequence, digest_of(stored), event.at)
    db.execute(_INSERT, (*stored, new.digest))
    failpoint.reach("event: appended")
    return new


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
        operation_id=tx.new_operation_id(),
    )
    return tx.append(event)


def digest_of(stored: Sequence[object]) -> str:
    """SHA-256 over everything a row holds before its own digest."""
    return sha256_hex(canonical(list(stored)).encode("utf-8"))


def canonical(value: object) -> str:
    """The one JSON spelling of a value that is digested or compared."""
    return _CANONICAL.encode(value)
