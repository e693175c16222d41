"""One todo of an active-state file: a box, and the comment below it that says the rest in URL-encoded pairs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from loopx.core.errors import LoopxError
from loopx.core.foreign.fields import instant_of
from loopx.core.foreign.oddities import unknown_value
from loopx.core.foreign.record import ForeignRecord, ForeignState, OwnFields
from loopx.core.instant import parse_duration
from loopx.core.text import tagged_priority

if TYPE_CHECKING:
    from loopx.core.checklist_line import BoxState
    from loopx.core.foreign.oddities import Oddities
    from loopx.core.instant import Duration, Instant

_COMMENT = re.compile(r"\s*<!--\s*loopx:todo\s+(.*?)\s*-->\s*$")
_LIST_MARK = re.compile(r"%2C|,", re.IGNORECASE)
_STATES = {
    "open": ForeignState.OPEN,
    "in_progress": ForeignState.STARTED,
    "done": ForeignState.DONE,
    "completed": ForeignState.DONE,
    "deferred": ForeignState.DEFERRED,
    "blocked": ForeignState.DRAFT,
    "superseded": ForeignState.CANCELLED,
    "cancelled": ForeignState.CANCELLED,
}
_TRUE = frozenset(("true", "1", "yes"))
_TODO_DONE = "todo_done:"
_READ = frozenset((
    "todo_id", "status", "task_class", "action_kind", "claimed_by", "updated_at", "created_at", "completed_at",
    "required_write_scopes", "required_capabilities", "required_decision_scopes", "decision_scope", "blocks_agent",
    "global_gate", "unblocks_todo_id", "excluded_agents", "bound_agent", "continuation_policy", "next_due_at",
    "cadence", "no_followup", "evidence", "note", "resume_when", "successor_todo_ids", "priority",
))  # fmt: skip


def comment_fields(line: str) -> dict[str, str] | None:
    """The pairs of a line that is such a comment, values as they are encoded; None for another line."""
    found = _COMMENT.fullmatch(line)
    if found is None:
        return None
    pairs = (part.partition("=") for part in found[1].split())
    return {name: value for name, _, value in pairs if name}


class Words:
    """The pairs of one comment, decoded when they are asked for."""

    def __init__(self, fields: dict[str, str]) -> None:
        self.fields = fields

    def text(self, name: str) -> str | None:
        """The value, or None where it says nothing."""
        return unquote(self.fields.get(name, "")).strip() or None

    def texts(self, name: str) -> tuple[str, ...]:
        """The values of a list, which is joined by an encoded comma."""
        parts = (unquote(part).strip() for part in _LIST_MARK.split(self.fields.get(name, "")))
        return tuple(part for part in parts if part)

    def flag(self, name: str) -> bool:
        """Whether it says so."""
        return (self.text(name) or "").lower() in _TRUE

    def instant(self, name: str) -> Instant | None:
        """The instant, or None."""
        return instant_of(self.text(name))

    def duration(self, name: str) -> Duration | None:
        """The duration, or None for what is none."""
        text = self.text(name)
        try:
            return parse_duration(text) if text else None
        except LoopxError:
            return None

    def rest(self) -> dict[str, str]:
        """What has no place in a record, decoded."""
        return {name: unquote(value) for name, value in self.fields.items() if name not in _READ}


def record_of_line(
    source_id: str, text: str, box: BoxState, words: Words, *, is_for_user: bool, oddities: Oddities, line: int
) -> ForeignRecord:
    """The record of a box and its comment; the ticked box counts where the two contradict each other."""
    waits_for = words.text("resume_when") or ""
    awaited = waits_for.removeprefix(_TODO_DONE) if waits_for.startswith(_TODO_DONE) else None
    state = _state(box, words, oddities, line)
    if awaited and state is ForeignState.DEFERRED:
        state = ForeignState.OPEN
    extra = words.rest()
    if waits_for and not awaited:
        extra["resume_when"] = waits_for
    return ForeignRecord(
        source_id=source_id,
        text=text,
        state=state,
        line=line,
        priority=_priority(text, words),
        depends_on=(awaited,) if awaited else (),
        assignee=words.text("claimed_by"),
        created_at=words.instant("created_at"),
        updated_at=words.instant("updated_at"),
        closed_at=words.instant("completed_at"),
        resume_at=instant_of(waits_for.removeprefix("at:")) or words.instant("next_due_at"),
        evidence=words.text("evidence") or words.text("note"),
        extra=extra or None,
        own=_own(words, is_for_user=is_for_user),
    )


def _state(box: BoxState, words: Words, oddities: Oddities, line: int) -> ForeignState:
    status = words.text("status")
    boxed = ForeignState(box.value)
    if status is None or boxed is ForeignState.DONE:
        return boxed
    if status not in _STATES:
        oddities.see(*unknown_value("status", status, f"it was taken as {boxed}"), line)
        return boxed
    return _STATES[status]


def _priority(text: str, words: Words) -> int | None:
    """That of the tag in the text, or else of the comment."""
    said = (words.text("priority") or "").upper().removeprefix("P")
    if tagged_priority(text) is not None or said not in tuple("01234"):
        return None
    return int(said)


def _own(words: Words, *, is_for_user: bool) -> OwnFields:
    return OwnFields(
        is_for_user=is_for_user,
        task_class=words.text("task_class"),
        action_kind=words.text("action_kind"),
        required_capabilities=words.texts("required_capabilities"),
        required_write_scopes=words.texts("required_write_scopes"),
        required_decision_scopes=words.texts("required_decision_scopes"),
        decision_scope=words.text("decision_scope"),
        blocks_agent=words.text("blocks_agent"),
        is_global_gate=words.flag("global_gate"),
        unblocks=words.text("unblocks_todo_id"),
        excluded_agents=words.texts("excluded_agents"),
        bound_agent=words.text("bound_agent"),
        continuation_policy=words.text("continuation_policy"),
        next_due_at=words.instant("next_due_at"),
        poll_every=words.duration("cadence"),
        no_followup=words.flag("no_followup"),
        block_reason=words.text("note"),
        successors=words.texts("successor_todo_ids"),
    )
