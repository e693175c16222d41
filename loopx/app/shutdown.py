"""The shutdown handshake: a request in an agent's mailbox, and its worker's typed answer (S4.2, S4.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.message import Letter, correspondent, handled, mailbox_of, message_outcome, own_message, post_letter
from loopx.app.mutation import Call, Document, Outcome, Work, mutate
from loopx.core.command import command
from loopx.core.errors import UsageError
from loopx.core.message import PERSON, Message, MessageKind
from loopx.store.mailbox import answer_to, unread_request

if TYPE_CHECKING:
    from loopx.app.project import Project, Snapshot


def request_shutdown(project: Project, call: Call, agent_id: str) -> Document:
    """Ask the agent's worker to end before its next task; the message's request id names the handshake.

    Where the caller's earlier request still waits unread, that one is the answer and nothing is written.
    RecipientNotFoundError.
    """

    def change(work: Work) -> Outcome:
        recipient = mailbox_of(work.goal, agent_id)
        if recipient == PERSON:
            raise UsageError("a person is not shut down", hint="Name an agent.")
        waiting = unread_request(
            work.tx.db, correspondent(work), work.goal.goal_id, recipient, MessageKind.SHUTDOWN_REQUEST
        )
        if waiting is not None:
            return message_outcome(work, waiting)._replace(records=False)
        letter = Letter(recipient, MessageKind.SHUTDOWN_REQUEST, work.call.reason or "", work.tx.ids.new("request"))
        message = post_letter(work, letter)
        return message_outcome(work, message, next_command=command("team", "status", "--goal-id", work.goal.goal_id))

    return mutate(project, call._replace(needs_active_goal=False), change)


def accept_shutdown(project: Project, call: Call, message_id: str) -> Document:
    """Acknowledge a shutdown request and answer it, in one transaction; the request of another mailbox is not found.

    UsageError for a message that asks for something else.
    """

    def change(work: Work) -> Outcome:
        request = own_message(work, message_id)
        if request.kind is not MessageKind.SHUTDOWN_REQUEST:
            raise UsageError(f"{message_id} is a {request.kind}, no shutdown request", hint="Acknowledge it instead.")
        if request.acked_at is not None:
            return message_outcome(work, request)._replace(records=False)
        handled(work, request)
        letter = Letter(request.sender, MessageKind.SHUTDOWN_ACCEPTED, "", request.request_id)
        return message_outcome(work, post_letter(work, letter))

    return mutate(project, call._replace(needs_active_goal=False), change)


def shutdown_answer(project: Project, request: Document) -> Message | None:
    """The typed answer to the request that `request_shutdown` has returned, once it is there."""
    message = request["message"]

    def query(snapshot: Snapshot) -> Message | None:
        return answer_to(snapshot.db, message["goal_id"], message["sender"], message["request_id"])

    return project.read(query)
