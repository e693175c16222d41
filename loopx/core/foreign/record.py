"""One piece of work as another tool tells it, and what could not be read (docs/reference/import.md).

Every reader makes these values, so that what a record means for the todos that are here already is
decided once, in `core/import_plan.py`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any

from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from loopx.core.instant import Duration, Instant


class ForeignState(StrEnum):
    OPEN = "open"
    STARTED = "started"  # somebody is on it over there; here it is open until somebody claims it
    DONE = "done"
    FAILED = "failed"  # tried and given up
    CANCELLED = "cancelled"  # given up; becomes a superseded todo without a successor
    DROPPED = "dropped"  # given up and not worth a todo: a tombstone, a `[-]` box; only its id is remembered
    DEFERRED = "deferred"  # sleeps until `resume_at`; without one it is blocked until a person opens it
    DRAFT = "draft"  # nobody has decided yet that it shall be done; blocked until a person opens it


CLOSED_THERE = frozenset((ForeignState.DONE, ForeignState.FAILED, ForeignState.CANCELLED, ForeignState.DROPPED))


class Link(Value):
    """A relation to another record that never blocks: its kind as the source spells it, and the other's id."""

    kind: str
    target: str


class AcceptanceBox(Value):
    """A criterion of one record, and whether it is ticked over there."""

    text: str
    is_ticked: bool = False


class OwnFields(Value):
    """What a record of our own family says in our own words, as typed there; checked like `todo add` checks it.

    What cannot be taken here (an agent that is not registered, a scope that is none) is left out with a note.
    """

    is_for_user: bool = False
    task_class: str | None = None
    action_kind: str | None = None
    required_capabilities: tuple[str, ...] = ()
    required_write_scopes: tuple[str, ...] = ()
    required_decision_scopes: tuple[str, ...] = ()
    decision_scope: str | None = None
    blocks_agent: str | None = None
    is_global_gate: bool = False
    unblocks: str | None = None  # by source id
    excluded_agents: tuple[str, ...] = ()
    bound_agent: str | None = None
    continuation_policy: str | None = None
    next_due_at: Instant | None = None
    poll_every: Duration | None = None
    no_followup: bool = False
    block_reason: str | None = None
    successors: tuple[str, ...] = ()  # by source id


class ForeignRecord(Value):
    """A piece of work in the words of its source.

    `source_id` is unique in the source and the same at the next import; `depends_on`, `parent` and links
    name others by theirs, existing or not. `text` is title and body (`fields.text_of`). `path` and `line`
    say where it stands, for reports; `path` only where a folder is read. `priority` is 0 (most urgent) to 4,
    None for none. `question` is what a person must answer before the work goes on: a gate is made of it.
    Dates are the source's; `updated_at` decides which of two duplicates and of two imports is newer.
    `extra` keeps every field that has no place above, as it was: JSON values under the source's own names.
    `own` is for sources that speak our language.
    """

    source_id: str
    text: str
    state: ForeignState = ForeignState.OPEN
    line: int | None = None
    path: str | None = None
    priority: int | None = None
    depends_on: tuple[str, ...] = ()
    parent: str | None = None
    links: tuple[Link, ...] = ()
    labels: tuple[str, ...] = ()
    assignee: str | None = None
    created_at: Instant | None = None
    updated_at: Instant | None = None
    closed_at: Instant | None = None
    resume_at: Instant | None = None
    question: str | None = None
    acceptance: tuple[AcceptanceBox, ...] = ()
    evidence: str | None = None
    extra: Mapping[str, Any] | None = None
    own: OwnFields | None = None


class Rejection(Value):
    """A line or record that cannot be taken, and why; `source_id` where it would be a record.

    One of them refuses the whole import unless they are to be skipped.
    """

    line: int | None
    reason_code: str
    message: str
    source_id: str | None = None
    path: str | None = None


class Note(Value):
    """Something that a person should know and that refuses nothing: an edge left out, a field not understood."""

    reason_code: str
    message: str
    line: int | None = None
    path: str | None = None


class Reading(Value):
    """What the files hold, in file order; `ignored` counts what looks like work and is none."""

    records: tuple[ForeignRecord, ...] = ()
    rejections: tuple[Rejection, ...] = ()
    notes: tuple[Note, ...] = ()
    ignored: int = 0


class SourceFile(Value):
    """A file that was read: its bytes, and its path with `/` below what was named (its own name for one file)."""

    path: str
    data: bytes


class ReadOptions(Value):
    """What a caller may say about how a source is to be understood.

    `reverse_blocked_by`: an edge of type `blocked-by` means the reverse of `blocks`. `repository`:
    `owner/name` for issues whose file does not say it. `in_folder`: a folder was named, so that places
    need their path. `goal_id` is the goal that the todos go to, for a source that holds several.
    """

    reverse_blocked_by: bool = False
    repository: str | None = None
    in_folder: bool = False
    goal_id: str | None = None
