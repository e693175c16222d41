"""The tools that the MCP edge adds to those of the toolset: decide, inbox, message and handoff."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.decide import Question, should_run
from loopx.app.handoff import create_handoff
from loopx.app.handoff_packet import HandoffQuestion, handoff_packet
from loopx.app.inbox import read_inbox as read_persons_inbox
from loopx.app.message import MessageRequest, acknowledge_message, send_message
from loopx.app.message import read_inbox as read_mailbox
from loopx.app.page import Page
from loopx.app.toolset.schema import TASK_ID, strict_object, text_of
from loopx.app.toolset.tool import Tool
from loopx.core.errors import UsageError
from loopx.core.name import LONGEST_NAME, normalise_name
from loopx.settings import ROLES

if TYPE_CHECKING:
    from loopx.app.mutation import Document
    from loopx.app.toolset.tool import Arguments, ToolContext

_NAME_LENGTH = 4 * LONGEST_NAME  # as typed; the one spelling of a name is shorter
_WORDS = 20_000  # characters of a message; longer ones belong in a file
_LISTED = 20


def decision(context: ToolContext) -> Document:
    """The packet of `quota should-run` for this agent."""
    return should_run(
        context.project, Question(context.goal_id, context.identity, context.capabilities, context.folder)
    )


def handoff(context: ToolContext, to_agent: str | None = None) -> Document:
    """The packet of `handoff show`: what this agent, or the named one, takes over."""
    return handoff_packet(context.project, HandoffQuestion(context.goal_id, context.identity, to_agent))


def _decide(context: ToolContext, _: Arguments) -> Document:
    return decision(context)


def _inbox(context: ToolContext, arguments: Arguments) -> Document:
    return read_persons_inbox(context.project, context.goal_id, Page(_LISTED, arguments.get("cursor")))


def _message(context: ToolContext, arguments: Arguments) -> Document:
    """Read the mailbox, send, or acknowledge: exactly one of them. UsageError."""
    if "ack" in arguments:
        _refuse_beside(arguments, "ack")
        return acknowledge_message(context.project, context.call("message_acknowledged", arguments), arguments["ack"])
    if "to" not in arguments:
        _refuse_beside(arguments, "cursor")
        page = Page(_LISTED, arguments.get("cursor"))
        return read_mailbox(context.project, context.goal_id, context.identity, page)
    if "text" not in arguments:
        raise UsageError("a message has a text", hint="Give `text` beside `to`.")
    request = MessageRequest(
        normalise_name(arguments["to"], what="recipient"), arguments["text"], arguments.get("task_id")
    )
    return send_message(context.project, context.call("message_sent", arguments), request)


def _refuse_beside(arguments: Arguments, only: str) -> None:
    others = sorted(set(arguments) - {only})
    if others:
        raise UsageError(
            f"{', '.join(others)} and {only if only in arguments else 'reading'} contradict each other",
            hint="Send with `to` and `text`, acknowledge with `ack`, read with neither.",
        )


def _handoff(context: ToolContext, arguments: Arguments) -> Document:
    to_agent = arguments.get("to") and normalise_name(arguments["to"], what="agent id")
    if not arguments.get("record"):
        return handoff(context, to_agent)
    return create_handoff(context.project, context.call("handoff_created", arguments), to_agent)


_CURSOR = {"type": "string", "description": "next_cursor of the page before.", "maxLength": 20}

EDGE_TOOLS = (
    Tool(
        "decide",
        "What you may do now, why, and what waits for a person. Ask before each step.",
        strict_object({}),
        ROLES,
        _decide,
    ),
    Tool(
        "inbox",
        "What waits for a person: gates and actions. You cannot answer them.",
        strict_object({"cursor": _CURSOR}),
        ROLES,
        _inbox,
    ),
    Tool(
        "message",
        "Mail between agents. Nothing given: read yours. `to` and `text`: send. `ack`: mark one as dealt with.",
        strict_object(
            {
                "to": text_of("An agent, or `user`.", _NAME_LENGTH),
                "text": text_of("The words.", _WORDS),
                "task_id": TASK_ID,
                "ack": {"type": "string", "description": "A message_id.", "maxLength": 40},
                "cursor": _CURSOR,
            }
        ),
        ROLES,
        _message,
        writes=True,
    ),
    Tool(
        "handoff",
        "What another session needs to go on: state, frontier, next action. `record` hands over.",
        strict_object(
            {
                "to": text_of("The receiver; you if left out.", _NAME_LENGTH),
                "record": {"type": "boolean", "description": "Record it as handed over."},
            }
        ),
        ROLES,
        _handoff,
        writes=True,
    ),
)
