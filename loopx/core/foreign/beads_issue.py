"""One issue of beads as a record; every field that has no place here is kept as it was."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from loopx.core.foreign.beads_edges import NO_EDGES, Edges
from loopx.core.foreign.fields import id_of, instant_of, text_fault, text_of
from loopx.core.foreign.record import AcceptanceBox, ForeignRecord, ForeignState, Rejection
from loopx.core.foreign.record_fields import RecordFields, sectioned

if TYPE_CHECKING:
    from loopx.core.foreign.beads_edges import EdgeReader
    from loopx.core.foreign.json_text import JsonObject
    from loopx.core.foreign.oddities import Oddities

LARGEST_PRIORITY = 4
TOMBSTONE = "tombstone"
_STATES = {
    "open": ForeignState.OPEN,
    "in_progress": ForeignState.STARTED,
    "closed": ForeignState.DONE,
    "deferred": ForeignState.DEFERRED,
    TOMBSTONE: ForeignState.DROPPED,
}
_TAGGED = ("hooked", "pinned")  # states of its own scheduling: open work with a label here
_BLOCKED = "blocked"
_TYPES = frozenset(
    (
        *("task", "bug", "feature", "epic", "chore", "message", "merge-request", "molecule", "agent"),
        *("role", "rig", "convoy", "event", "gate", "spike", "story", "milestone"),
    )
)
_SECTIONS = (("design", "Design"), ("notes", "Notes"))
_DERIVED = ("_type", "dependency_count", "dependent_count", "comment_count")  # say nothing that is not said again
_BULLET = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[([ xX])\][ \t]+)?(\S.*)")


class IssueReader:
    """Reads one issue after the other."""

    def __init__(self, edges: EdgeReader, oddities: Oddities, path: str | None) -> None:
        self._edges = edges
        self._oddities = oddities
        self._path = path

    def read(self, issue: JsonObject) -> tuple[ForeignRecord, tuple[str, ...]] | Rejection:
        """The record, and who waits for it where that stands in it; or why it cannot be taken."""
        issue_id = id_of(issue.get("id"))
        if issue_id is None:
            return Rejection(issue.line, "id_missing", "the issue has no id that can be used", path=self._path)
        if issue.get("status") == TOMBSTONE:
            return self._tombstone(issue_id, issue), ()
        fields = RecordFields(issue, self._oddities, issue.line)
        fields.skip("id", *_DERIVED)
        text = text_of(fields.text("title"), sectioned(fields, "description", _SECTIONS))
        fault = text_fault(text)
        if fault is not None:
            return Rejection(issue.line, *fault, source_id=issue_id, path=self._path)
        edges = self._edges_of(issue_id, fields)
        return self._record(issue_id, text, fields, edges), edges.waited_for_by

    def _tombstone(self, issue_id: str, issue: JsonObject) -> ForeignRecord:
        """What was deleted: the id is remembered, and when."""
        deleted_at = instant_of(issue.get("deleted_at")) or instant_of(issue.get("updated_at"))
        return ForeignRecord(
            issue_id, issue_id, ForeignState.DROPPED, line=issue.line, path=self._path, updated_at=deleted_at
        )

    def _edges_of(self, issue_id: str, fields: RecordFields) -> Edges:
        listed = fields.raw("dependencies")
        if listed is None:
            return NO_EDGES
        edges = self._edges.read(issue_id, listed if isinstance(listed, list) else (), fields.line)
        if not isinstance(listed, list):
            fields.keep("dependencies")
        elif edges.odd:
            fields.keep_as("dependencies", list(edges.odd))
        return edges

    def _record(self, issue_id: str, text: str, fields: RecordFields, edges: Edges) -> ForeignRecord:
        resume_at = fields.instant("defer_until")
        state, tags = _state(fields, is_held=bool(edges.depends_on))
        if resume_at is not None and state is ForeignState.OPEN:
            state = ForeignState.DEFERRED
        _see_type(fields)
        return ForeignRecord(
            source_id=issue_id,
            text=text,
            state=state,
            line=fields.line,
            path=self._path,
            priority=_priority(fields),
            depends_on=edges.depends_on,
            parent=edges.parent,
            links=edges.links,
            labels=(*fields.texts("labels"), *tags),
            assignee=fields.word("assignee"),
            created_at=fields.instant("created_at"),
            updated_at=fields.instant("updated_at"),
            closed_at=fields.instant("closed_at"),
            resume_at=resume_at,
            acceptance=_boxes(fields.text("acceptance_criteria")),
            evidence=fields.word("close_reason"),
            extra=fields.extra(),
        )


def _state(fields: RecordFields, *, is_held: bool) -> tuple[ForeignState, tuple[str, ...]]:
    """What the status means here, and the label that one without a counterpart becomes."""
    status = fields.raw("status")
    if status is None:
        fields.see("status_missing", "an issue has no status; it is taken as open")
        return ForeignState.OPEN, ()
    if isinstance(status, str) and status in _STATES:
        return _STATES[status], ()
    if status in _TAGGED:
        return ForeignState.OPEN, (f"status:{status}",)
    if status == _BLOCKED:
        return _blocked(fields, is_held=is_held), ()
    fields.unknown("status", "it is taken as open and kept beside the todo")
    return ForeignState.OPEN, ()


def _blocked(fields: RecordFields, *, is_held: bool) -> ForeignState:
    """Held by its dependencies like any open work; without one only a person knows what it waits for."""
    if is_held:
        return ForeignState.OPEN
    fields.see(
        "blocked_by_nothing", "an issue is blocked by nothing that is named; it stays blocked until it is opened"
    )
    fields.keep("status")
    return ForeignState.DEFERRED


def _priority(fields: RecordFields) -> int | None:
    """0 is the most urgent one and not a missing one."""
    given = fields.raw("priority")
    if isinstance(given, int) and not isinstance(given, bool) and 0 <= given <= LARGEST_PRIORITY:
        return given
    if given is not None:
        fields.unknown("priority", "the todo gets the usual one")
    return None


def _see_type(fields: RecordFields) -> None:
    """The type stays beside the todo; one that beads does not have is noted."""
    kind = fields.raw("issue_type")
    fields.keep("issue_type")
    if kind is not None and kind not in _TYPES:
        fields.unknown("issue_type", "it is work like any other")


def _boxes(criteria: str) -> tuple[AcceptanceBox, ...]:
    """A criterion a bullet where the text is a list, else the one text."""
    if not criteria:
        return ()
    lines = [line for line in criteria.replace("\r\n", "\n").split("\n") if line.strip()]
    bullets = [_BULLET.fullmatch(line) for line in lines]
    found = [bullet for bullet in bullets if bullet is not None]
    if len(found) < len(lines):
        return (AcceptanceBox(criteria.strip()),)
    return tuple(AcceptanceBox(bullet[2].strip(), bullet[1] in ("x", "X")) for bullet in found)
