"""Messages and plans on the wire."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.core.instant import SECOND, format_instant
from loopx.core.text import cut

if TYPE_CHECKING:
    from loopx.core.instant import Instant
    from loopx.core.message import Mailbox, Message
    from loopx.core.plan import Plan

LISTED_BYTES = 2_000  # of each text in a list, so that a page stays readable; `show` has the whole

Document = dict[str, Any]


def message_document(message: Message, now: Instant, *, brief: bool = False) -> Document:
    """One message; `unread_seconds` is how long it has waited so far, null once it is acknowledged."""
    text, truncated = cut(message.body, LISTED_BYTES) if brief else (message.body, False)
    return {
        "message_id": message.message_id,
        "goal_id": message.goal_id,
        "sequence": message.sequence,
        "sender": message.sender,
        "recipient": message.recipient,
        "kind": message.kind.value,
        "text": text,
        **({"text_truncated": True} if truncated else {}),
        "request_id": message.request_id,
        "todo_id": message.todo_id,
        "sent_at": format_instant(message.sent_at),
        "acked_at": format_instant(message.acked_at) if message.acked_at is not None else None,
        "unread_seconds": _seconds_since(message.sent_at, now) if message.acked_at is None else None,
    }


def mailbox_document(mailbox: Mailbox, now: Instant) -> Document:
    """How much of a mailbox is unread, and for how long already."""
    oldest = mailbox.oldest_sent_at
    return {
        "owner": mailbox.owner,
        "unread": mailbox.unread,
        "oldest_unread_at": format_instant(oldest) if oldest is not None else None,
        "oldest_unread_seconds": _seconds_since(oldest, now) if oldest is not None else None,
    }


def plan_document(plan: Plan) -> Document:
    """One plan whole."""
    return {
        "plan_id": plan.plan_id,
        "goal_id": plan.goal_id,
        "sequence": plan.sequence,
        "agent_id": plan.agent_id,
        "reviewer": plan.reviewer,
        "status": plan.status.value,
        "text": plan.body,
        "note": plan.note,
        "submitted_at": format_instant(plan.submitted_at),
        "answered_at": format_instant(plan.answered_at) if plan.answered_at is not None else None,
        "answered_by": plan.answered_by,
    }


def _seconds_since(instant: Instant, now: Instant) -> int:
    """Whole seconds, never negative: the clock may have been set back."""
    return max(0, now - instant) // SECOND
