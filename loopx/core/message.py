"""A message for one mailbox. What is no text is a typed request or answer, handled by rule (S4.2)."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any

from loopx.core.value import Value

if TYPE_CHECKING:
    from loopx.core.instant import Instant

PERSON = "user"  # the mailbox of whoever the goal belongs to; agents have theirs under their own id


class MessageKind(StrEnum):
    TEXT = "text"  # words for the recipient to read
    REPORT = "report"  # the final text of a run, for the lead (S4.6)
    PLAN_SUBMITTED = "plan_submitted"  # for its reviewer; the request id is the plan's
    PLAN_APPROVED = "plan_approved"
    PLAN_REJECTED = "plan_rejected"
    SHUTDOWN_REQUEST = "shutdown_request"
    SHUTDOWN_ACCEPTED = "shutdown_accepted"


READ = frozenset((MessageKind.TEXT, MessageKind.REPORT, MessageKind.PLAN_SUBMITTED))  # the rest is never read as text


class Message(Value):
    """One message; unread until `acked_at`. `sequence` is that of the event that sent it."""

    message_id: str
    sequence: int
    goal_id: str
    sender: str
    recipient: str
    kind: MessageKind
    body: str
    request_id: str | None
    todo_id: str | None
    sent_at: Instant
    acked_at: Instant | None = None

    @property
    def is_text(self) -> bool:
        """Whether its words are for the recipient's runner, and not a typed answer or request."""
        return self.kind in READ

    def record(self) -> dict[str, Any]:
        """The stored row."""
        return {name: str(value) if name == "kind" else value for name, value in zip(self._fields, self, strict=True)}


class Mailbox(Value):
    """How much of a mailbox waits to be acknowledged, and since when."""

    owner: str
    unread: int
    oldest_sent_at: Instant | None
