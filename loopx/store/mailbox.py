"""Messages in the database: sent once, read until acknowledged, pruned when long since read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.core.message import Mailbox, Message, MessageKind
from loopx.store.query import Filter

if TYPE_CHECKING:
    from loopx.core.instant import Instant
    from loopx.store.connection import Connection
    from loopx.store.transaction import Transaction

_KEY = ("message_id",)
_COLUMNS = ", ".join(Message._fields)
_UNREAD = "goal_id = ? AND recipient = ? AND acked_at IS NULL"
_MAILBOX = f"SELECT count(*), min(sent_at) FROM messages WHERE {_UNREAD}"
_PRUNABLE = (
    "SELECT message_id FROM messages WHERE goal_id = ? AND recipient = ? AND acked_at < ? ORDER BY acked_at LIMIT ?"
)


def post(tx: Transaction, message: Message) -> None:
    """Put the message into its mailbox. One a transaction: it bears the number of the transaction's event."""
    tx.put("messages", _KEY, message.record())


def acknowledge(tx: Transaction, message: Message) -> Message:
    """Mark the message as handled, now."""
    acked = message._replace(acked_at=tx.now)
    tx.put("messages", _KEY, acked.record())
    return acked


def prune(tx: Transaction, mailbox: str, goal_id: str, *, before: Instant, most: int) -> int:
    """Forget at most that many messages that were acknowledged before the instant; how many went.

    The event says only that they went: what they said stays in the events that sent them.
    """
    rows = tx.db.execute(_PRUNABLE, (goal_id, mailbox, before, most)).fetchall()
    for (message_id,) in rows:
        tx.drop("messages", _KEY, (message_id,), "sent_at")
    return len(rows)


def find_message(db: Connection, message_id: str) -> Message | None:
    """The message of that id."""
    row = db.execute(f"SELECT {_COLUMNS} FROM messages WHERE message_id = ?", (message_id,)).fetchone()
    return _from_row(row) if row else None


def oldest_unread(db: Connection, goal_id: str, mailbox: str) -> Message | None:
    """The first message that still waits: the next to be handled."""
    sql = f"SELECT {_COLUMNS} FROM messages WHERE {_UNREAD} ORDER BY sequence LIMIT 1"
    row = db.execute(sql, (goal_id, mailbox)).fetchone()
    return _from_row(row) if row else None


def unread_request(db: Connection, sender: str, goal_id: str, mailbox: str, kind: MessageKind) -> Message | None:
    """The sender's request of that kind that the mailbox still holds unread."""
    sql = f"SELECT {_COLUMNS} FROM messages WHERE {_UNREAD} AND sender = ? AND kind = ? ORDER BY sequence LIMIT 1"
    row = db.execute(sql, (goal_id, mailbox, sender, kind.value)).fetchone()
    return _from_row(row) if row else None


def answer_to(db: Connection, goal_id: str, mailbox: str, request_id: str) -> Message | None:
    """The answer to that request, once it is in the asker's mailbox."""
    sql = f"SELECT {_COLUMNS} FROM messages WHERE goal_id = ? AND recipient = ? AND request_id = ? LIMIT 1"
    row = db.execute(sql, (goal_id, mailbox, request_id)).fetchone()
    return _from_row(row) if row else None


def mailbox_state(db: Connection, goal_id: str, owner: str) -> Mailbox:
    """How much of it is unread, and since when."""
    unread, oldest = db.execute(_MAILBOX, (goal_id, owner)).fetchone()
    return Mailbox(owner, int(unread), oldest)


def select_messages(db: Connection, chosen: Filter, *, most: int) -> list[Message]:
    """The messages that pass, oldest first."""
    sql = f"SELECT {_COLUMNS} FROM messages {chosen.where} ORDER BY sequence LIMIT ?"
    return [_from_row(row) for row in db.execute(sql, [*chosen.values, most])]


def _from_row(row: tuple[Any, ...]) -> Message:
    message = Message(*row)
    return message._replace(kind=MessageKind(message.kind))
