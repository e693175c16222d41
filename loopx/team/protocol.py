"""The mailbox side of a worker: what is asked of it by type is answered by rule, words go to its runner (S4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.message import MessageRequest, acknowledge_message, send_message
from loopx.app.shutdown import accept_shutdown
from loopx.core.message import Message, MessageKind
from loopx.core.text import cut

if TYPE_CHECKING:
    from loopx.team.seat import Seat

REPORT_BYTES = 8_000  # the end of a run in its own words; the log has the rest


class MailProtocol:
    """Handles the mail of one seat."""

    def __init__(self, seat: Seat) -> None:
        self.seat = seat

    def answer(self, message: Message) -> bool:
        """Deal with a typed message, which never reaches a model; whether it was a request to shut down."""
        if message.kind is MessageKind.SHUTDOWN_REQUEST:
            accept_shutdown(self.seat.project, self.seat.call("shutdown_accepted"), message.message_id)
            return True
        self.acknowledge(message)
        return False

    def acknowledge(self, message: Message) -> None:
        """The message is dealt with and does not come again."""
        acknowledge_message(self.seat.project, self.seat.call("message_acknowledged"), message.message_id)

    def report(self, text: str, todo_id: str | None) -> None:
        """The final text of a run, for the lead; message and task are two machines (S4.6)."""
        if self.seat.lead is not None and text.strip():
            words = cut(text, REPORT_BYTES)[0]
            request = MessageRequest(self.seat.lead, words, todo_id, MessageKind.REPORT)
            send_message(self.seat.project, self.seat.call("message_sent"), request)
