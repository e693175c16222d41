"""Every call of a chat worker's tools leaves an event: which tool, on what, and who let it pass (S3.4)."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import TYPE_CHECKING

from loopx.app.mutation import Outcome, Work, mutate
from loopx.core.digest import sha256_hex
from loopx.core.secret import masked
from loopx.core.text import cut
from loopx.core.value import Value
from loopx.store.plans import closed_gate

if TYPE_CHECKING:
    from loopx.app.toolset.tool import ToolContext

TOOL_CALLED = "tool_called"
_ABOUT_BYTES = 200  # of what a call works on; the digest stands for the whole


class Clearance(StrEnum):
    """Who let a call pass, or kept it from passing."""

    ALLOWED = "allowed"  # by the policy
    APPROVED = "approved"  # by a person who was asked
    DECLINED = "declined"  # by a person who was asked
    UNANSWERED = "unanswered"  # a person should have been asked, and none was there
    DENIED = "denied"  # by the policy
    PLAN_OPEN = "plan_open"  # the agent's newest plan waits for approval
    MALFORMED = "malformed"  # the arguments break the tool's schema


class ToolCall(Value):
    """One call: its arguments as they came, and what they are about in a few words, such as a path."""

    tool: str
    arguments: object
    clearance: Clearance
    starts_work: bool = False
    about: str | None = None
    todo_id: str | None = None


def record_call(context: ToolContext, call: ToolCall) -> Clearance:
    """Store the call before it is carried out, and say whether it may be.

    What starts work is looked at once more in the same transaction: a plan without approval holds it. Of the
    arguments only a digest is kept, and `about` without credentials and local paths.
    """
    found: list[Clearance] = []

    def change(work: Work) -> Outcome:
        clearance = _cleared(work, call, context.identity)
        found.append(clearance)
        notes = {
            "tool": call.tool,
            "clearance": clearance.value,
            "arguments_sha256": digest_of(call.arguments),
            "run_id": context.run_id,
        }
        if call.about is not None:
            storable = call.about.encode("utf-8", "replace").decode("utf-8")
            notes["about"] = cut(masked(storable), _ABOUT_BYTES)[0]
        return Outcome({}, call.todo_id, notes=tuple(notes.items()))

    mutate(context.project, context.call(TOOL_CALLED, {}, needs_active_goal=False), change)
    return found[-1]


def digest_of(arguments: object) -> str:
    """The SHA-256 of the arguments as JSON with sorted keys; odd characters count as their escapes."""
    return sha256_hex(json.dumps(arguments, sort_keys=True, separators=(",", ":")).encode("ascii"))


def _cleared(work: Work, call: ToolCall, agent_id: str) -> Clearance:
    may_pass = call.clearance in (Clearance.ALLOWED, Clearance.APPROVED)
    if may_pass and call.starts_work and closed_gate(work.tx.db, work.goal.goal_id, agent_id) is not None:
        return Clearance.PLAN_OPEN
    return call.clearance
