"""Mail between the agents of a goal and its person: at least once until acknowledged, to nobody who is not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.mutation import Call, Document, Outcome, Work, mutate
from loopx.app.page import Page, page_keys
from loopx.app.project import near, registered_agent
from loopx.contracts.message_document import mailbox_document, message_document
from loopx.core.command import command
from loopx.core.errors import AgentNotRegisteredError, MessageNotFoundError, RecipientNotFoundError, TextInvalidError
from loopx.core.instant import DAY, Duration
from loopx.core.message import PERSON, Message, MessageKind
from loopx.core.text import checked_text
from loopx.core.value import Value
from loopx.store.events import last_sequence
from loopx.store.mailbox import acknowledge, find_message, mailbox_state, post, prune, select_messages
from loopx.store.query import Filter, total_of

if TYPE_CHECKING:
    from loopx.app.project import Project, Snapshot
    from loopx.core.goal import Goal

MESSAGE_SCHEMA = "message_v1"
MESSAGE_LIST_SCHEMA = "message_list_v1"
PRUNE_SCHEMA = "message_prune_v1"

MESSAGE_BYTES = 65_536  # more belongs into a file that the message names
KEPT: Duration = 7 * DAY  # how long acknowledged mail is kept where nobody says otherwise
_PRUNED_AT_ONCE = 100  # by the way: an acknowledgement stays quick
_PRUNED_BY_ORDER = 1_000  # one event stays readable; the answer says whether more is left


class MessageRequest(Value):
    """What `message send` takes; the sender is who acts."""

    recipient: str
    text: str
    todo_id: str | None = None
    kind: MessageKind = MessageKind.TEXT


class Letter(Value):
    """A message before it is sent: the transaction adds id, sender and time."""

    recipient: str
    kind: MessageKind
    body: str = ""
    request_id: str | None = None
    todo_id: str | None = None


def send_message(project: Project, call: Call, request: MessageRequest) -> Document:
    """Put a text into the mailbox of an agent, or of the goal's person (`user`).

    RecipientNotFoundError with the near match; TextInvalidError for an empty or too long text.
    """

    def change(work: Work) -> Outcome:
        todo_id = _todo_of(work, request.todo_id)
        message = post_letter(work, Letter(request.recipient, request.kind, request.text, todo_id=todo_id))
        return message_outcome(work, message, next_command=command("message", "show", message.message_id))

    return mutate(project, call._replace(needs_active_goal=False), change)


def acknowledge_message(project: Project, call: Call, message_id: str) -> Document:
    """Say that a message of the caller's own mailbox is dealt with: it is not delivered again.

    Repeating it changes nothing. MessageNotFoundError, also for a message of another mailbox.
    """

    def change(work: Work) -> Outcome:
        message = own_message(work, message_id)
        if message.acked_at is not None:
            return message_outcome(work, message)._replace(records=False)
        return message_outcome(work, handled(work, message))

    return mutate(project, call._replace(needs_active_goal=False), change)


def prune_messages(project: Project, call: Call, mailbox: str, older_than: Duration) -> Document:
    """Forget mail of that mailbox that was acknowledged longer ago than that; unread mail always stays."""

    def change(work: Work) -> Outcome:
        owner = mailbox_of(work.goal, mailbox)
        before = work.now - older_than
        pruned = prune(work.tx, owner, work.goal.goal_id, before=before, most=_PRUNED_BY_ORDER)
        body: Document = {
            "schema_version": PRUNE_SCHEMA,
            "ok": True,
            "pruned": pruned,
            "truncated": pruned == _PRUNED_BY_ORDER,
            "mailbox": mailbox_document(mailbox_state(work.tx.db, work.goal.goal_id, owner), work.now),
        }
        return Outcome(body, records=bool(pruned))

    return mutate(project, call._replace(needs_active_goal=False), change)


def read_inbox(
    project: Project, goal_id: str | None, owner: str, page: Page, *, with_acknowledged: bool = False
) -> Document:
    """A page of the mailbox, oldest first; nothing is marked by reading. AgentNotRegisteredError."""

    def query(snapshot: Snapshot) -> Document:
        goal = snapshot.registry.goal(goal_id)
        chosen = Filter()
        chosen.add("goal_id = ? AND recipient = ?", goal.goal_id, _reader(goal, owner))
        if not with_acknowledged:
            chosen.add("acked_at IS NULL")
        return _listed(snapshot, goal, owner, chosen, page)

    return project.read(query)


def read_sent(
    project: Project, goal_id: str | None, sender: str, page: Page, *, recipient: str | None = None
) -> Document:
    """What the sender has sent, oldest first, each with how long it has been waiting unread."""

    def query(snapshot: Snapshot) -> Document:
        goal = snapshot.registry.goal(goal_id)
        chosen = Filter()
        chosen.add("goal_id = ? AND sender = ?", goal.goal_id, _reader(goal, sender))
        chosen.add_if("recipient = ?", recipient)
        return _listed(snapshot, goal, None, chosen, page)

    return project.read(query)


def show_message(project: Project, message_id: str) -> Document:
    """One message whole, acknowledged or not. MessageNotFoundError."""

    def query(snapshot: Snapshot) -> Document:
        message = find_message(snapshot.db, message_id)
        if message is None:
            raise _unknown(message_id, "there is no message")
        mailbox = mailbox_state(snapshot.db, message.goal_id, message.recipient)
        return {
            "schema_version": MESSAGE_SCHEMA,
            "ok": True,
            "message": message_document(message, snapshot.now),
            "mailbox": mailbox_document(mailbox, snapshot.now),
            "state": snapshot.state,
        }

    return project.read(query)


# --- parts that the typed requests share -------------------------------------------------


def post_letter(work: Work, letter: Letter) -> Message:
    """Put a letter of the caller into its mailbox; at most one in a transaction. RecipientNotFoundError."""
    message = Message(
        message_id=work.tx.ids.new("msg"),
        sequence=last_sequence(work.tx.db) + 1,
        goal_id=work.goal.goal_id,
        sender=correspondent(work),
        recipient=mailbox_of(work.goal, letter.recipient),
        kind=letter.kind,
        body=_body(letter),
        request_id=letter.request_id,
        todo_id=letter.todo_id,
        sent_at=work.now,
    )
    post(work.tx, message)
    return message


def handled(work: Work, message: Message) -> Message:
    """The message, acknowledged; what the mailbox was done with long ago goes in the same event."""
    acked = acknowledge(work.tx, message)
    prune(work.tx, message.recipient, message.goal_id, before=work.now - KEPT, most=_PRUNED_AT_ONCE)
    return acked


def message_outcome(work: Work, message: Message, *, next_command: str | None = None) -> Outcome:
    """The answer about one message, with the state of the mailbox that it is in."""
    mailbox = mailbox_state(work.tx.db, message.goal_id, message.recipient)
    body: Document = {
        "schema_version": MESSAGE_SCHEMA,
        "ok": True,
        "message": message_document(message, work.now),
        "mailbox": mailbox_document(mailbox, work.now),
    }
    return Outcome(body, message.todo_id, next_command=next_command)


def own_message(work: Work, message_id: str) -> Message:
    """A message of the caller's mailbox; MessageNotFoundError."""
    message = find_message(work.tx.db, message_id)
    reader = correspondent(work)
    if message is None or message.recipient != reader:
        raise _unknown(message_id, f"the mailbox of {reader} has no message")
    work.enter_goal(message.goal_id)
    return message


def correspondent(work: Work) -> str:
    """The mailbox of whoever acts."""
    return work.actor.agent_id or PERSON


def mailbox_of(goal: Goal, name: str) -> str:
    """The name, if a registered agent or the goal's person has it; RecipientNotFoundError."""
    if name == PERSON:
        return name
    try:
        return registered_agent(goal, name)
    except AgentNotRegisteredError as exc:
        agent = goal.agent(name)
        known = (*(agent.agent_id for agent in goal.active_agents), PERSON)
        fact = "is retired from" if agent is not None else "has no mailbox in"
        raise RecipientNotFoundError(
            f"{name!r} {fact} {goal.goal_id}{near(name, known)}",
            hint=f"Write to `{PERSON}`, or to one of `loopx agent list --goal-id {goal.goal_id}`.",
            recipient=name,
        ) from exc


def _body(letter: Letter) -> str:
    """A typed message may go without words; a text that says nothing is none."""
    is_typed = letter.request_id is not None
    return letter.body if is_typed and not letter.body else checked_body(letter.body)


def checked_body(text: str) -> str:
    """The words of a message or plan; TextInvalidError where they are no words, or too many."""
    size = len(checked_text(text, field="text").encode("utf-8"))
    if size > MESSAGE_BYTES:
        raise TextInvalidError(
            f"the text has {size} bytes; a message takes {MESSAGE_BYTES}",
            hint="Keep the long version in a file and name it here.",
            field="text",
        )
    return text


def _reader(goal: Goal, owner: str) -> str:
    return owner if owner == PERSON else registered_agent(goal, owner)


def _todo_of(work: Work, typed_id: str | None) -> str | None:
    if typed_id is None:
        return None
    from loopx.app.todo_new import todo_in_goal

    return todo_in_goal(work, typed_id)


def _listed(snapshot: Snapshot, goal: Goal, owner: str | None, chosen: Filter, page: Page) -> Document:
    total = total_of(snapshot.db, "messages", chosen)
    chosen.add("sequence > ?", page.after)
    found = select_messages(snapshot.db, chosen, most=page.limit + 1)
    mailbox = owner and mailbox_document(mailbox_state(snapshot.db, goal.goal_id, owner), snapshot.now)
    return {
        "schema_version": MESSAGE_LIST_SCHEMA,
        "ok": True,
        "messages": [message_document(message, snapshot.now, brief=True) for message in found[: page.limit]],
        "total": total,
        **page_keys([message.sequence for message in found], len(found), page.limit),
        "mailbox": mailbox,
        "state": snapshot.state,
    }


def _unknown(message_id: str, fact: str) -> MessageNotFoundError:
    return MessageNotFoundError(
        f"{fact} {message_id!r}", hint="`loopx message inbox` shows what waits.", message_id=message_id
    )
