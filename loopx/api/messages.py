"""`plane.messages` and `plane.handoffs`: what one session tells another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack, cast

from loopx.api.desk import LIMIT, Desk, page
from loopx.api.how import Changing, told_how
from loopx.app.handoff import create_handoff, list_handoffs
from loopx.app.handoff_packet import HandoffQuestion, handoff_packet
from loopx.app.message import MessageRequest, acknowledge_message, read_inbox, send_message
from loopx.core.message import PERSON
from loopx.core.name import normalise_name

if TYPE_CHECKING:
    from loopx.api.document import HandoffListV1, HandoffV1, MessageListV1, MessageV1


class Messages(Desk):
    """Mail between agents, and with the goal's person, whose mailbox is `user`."""

    def send(self, to: str, text: str, *, todo_id: str | None = None, **options: Unpack[Changing]) -> MessageV1:
        """Put a text into a mailbox. RecipientNotFoundError with the near match."""
        request = MessageRequest(normalise_name(to, what="recipient"), text, todo_id)
        call = self._session.call("message_sent", request, told_how(options))
        return cast("MessageV1", self._told(send_message(self._project, call, request)))

    def inbox(self, *, with_acknowledged: bool = False, limit: int = LIMIT, cursor: str | None = None) -> MessageListV1:
        """What waits in one's own mailbox, oldest first. Reading marks nothing: mail waits for `ack`."""
        owner = self._session.agent_id or PERSON
        document = read_inbox(
            self._project, self._session.goal_id, owner, page(limit, cursor), with_acknowledged=with_acknowledged
        )
        return cast("MessageListV1", self._told(document))

    def ack(self, message_id: str, **options: Unpack[Changing]) -> MessageV1:
        """Say that a message of one's own mailbox is dealt with. MessageNotFoundError."""
        call = self._session.call("message_acknowledged", message_id, told_how(options))
        return cast("MessageV1", self._told(acknowledge_message(self._project, call, message_id)))


class Handoffs(Desk):
    """Recovery packets: what the next session needs, and starts nothing (W11.1)."""

    def show(self, *, to: str | None = None) -> HandoffV1:
        """What this agent, or the named one, takes over."""
        question = HandoffQuestion(self._session.goal_id, self._session.agent_id, _agent(to))
        return cast("HandoffV1", self._told(handoff_packet(self._project, question)))

    def create(self, *, to: str | None = None, **options: Unpack[Changing]) -> HandoffV1:
        """Record that the goal is handed over, and answer with the packet. UsageError where the receiver is unclear."""
        call = self._session.call("handoff_created", to, told_how(options))
        return cast("HandoffV1", self._told(create_handoff(self._project, call, _agent(to))))

    def list(self, *, limit: int = LIMIT, cursor: str | None = None) -> HandoffListV1:
        """The recorded handoffs, newest first, and whether the receiver has worked since."""
        document = list_handoffs(self._project, self._session.goal_id, page(limit, cursor))
        return cast("HandoffListV1", self._told(document))


def _agent(name: str | None) -> str | None:
    return None if name is None else normalise_name(name, what="agent id")
