"""The team's own tools: mail and plans for everybody, and for the lead to answer plans and to end workers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.app.message import MESSAGE_BYTES, MessageRequest, send_message
from loopx.app.plan import PlanRequest, approve_plan, reject_plan, submit_plan
from loopx.app.shutdown import request_shutdown
from loopx.app.toolset.schema import TASK_ID, strict_object, text_of
from loopx.app.toolset.tool import Tool
from loopx.core.message import PERSON
from loopx.settings import ROLES

if TYPE_CHECKING:
    from loopx.app.mutation import Document
    from loopx.app.toolset.tool import Arguments, ToolContext

_LEAD = ("lead",)
_AGENT = text_of("An agent of the goal.", 80)
_WORDS = text_of("The words.", MESSAGE_BYTES)
_PLAN_ID = {"type": "string", "pattern": "^plan_[0-9a-hjkmnp-tv-z]{10}$", "maxLength": 15}


def _send(context: ToolContext, arguments: Arguments) -> Document:
    request = MessageRequest(arguments["to"], arguments["text"], arguments.get("task_id"))
    return send_message(context.project, context.call("message_sent", arguments), request)


def _submit(context: ToolContext, arguments: Arguments) -> Document:
    return submit_plan(context.project, context.call("plan_submitted", arguments), PlanRequest(arguments["plan"]))


def _approve(context: ToolContext, arguments: Arguments) -> Document:
    call = context.call("plan_approved", arguments)
    return approve_plan(context.project, call, arguments["plan_id"], arguments.get("note"))


def _reject(context: ToolContext, arguments: Arguments) -> Document:
    call = context.call("plan_rejected", arguments)
    return reject_plan(context.project, call, arguments["plan_id"], arguments["note"])


def _shut_down(context: ToolContext, arguments: Arguments) -> Document:
    call = context.call("shutdown_requested", arguments, reason=arguments.get("reason"))
    return request_shutdown(context.project, call, arguments["agent"])


def _answering(name: str, description: str, handler: Any, required: tuple[str, ...]) -> Tool:
    note = text_of("Why; the agent reads it.", MESSAGE_BYTES)
    return Tool(
        name, description, strict_object({"plan_id": _PLAN_ID, "note": note}, required), _LEAD, handler, writes=True
    )


SEND_MESSAGE = Tool(
    "send_message",
    "Send words to an agent's mailbox.",
    strict_object(
        {"to": text_of(f"An agent of the goal, or `{PERSON}`.", 80), "text": _WORDS, "task_id": TASK_ID}, ("to", "text")
    ),
    ROLES,
    _send,
    writes=True,
)
SUBMIT_PLAN = Tool(
    "submit_plan",
    "Ask your lead to approve a plan; then end your turn: nothing more starts until the answer.",
    strict_object({"plan": _WORDS}, ("plan",)),
    ROLES,
    _submit,
    writes=True,
)
APPROVE_PLAN = _answering("approve_plan", "Let an agent carry its plan out.", _approve, ("plan_id",))
REJECT_PLAN = _answering("reject_plan", "Keep an agent from its plan, and say why.", _reject, ("plan_id", "note"))
REQUEST_SHUTDOWN = Tool(
    "request_shutdown",
    "Ask a teammate's worker to end before its next task.",
    strict_object({"agent": _AGENT, "reason": text_of("Why.", 1_000)}, ("agent",)),
    _LEAD,
    _shut_down,
    writes=True,
)
MAIL_TOOLS = (SEND_MESSAGE, SUBMIT_PLAN, APPROVE_PLAN, REJECT_PLAN, REQUEST_SHUTDOWN)
