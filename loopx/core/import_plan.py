"""What a second look at a source means for what is already here: three states, and nobody's edit is lost.

Each imported todo remembers what its source said last time. What the source says anew is taken over;
what was edited here since is kept and listed, never overwritten, unless the source's own date says that
it was changed there later still (docs/decisions/0024-imports.md).
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from loopx.core.digest import sha256_hex
from loopx.core.foreign.kept import kept_text, read_kept
from loopx.core.foreign.record import CLOSED_THERE, ForeignRecord, ForeignState
from loopx.core.import_graph import newest_of_each, waits_of
from loopx.core.text import with_priority_tag
from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from loopx.core.foreign.record import Note
    from loopx.core.instant import Instant

_DIGEST_DIGITS = 16  # tells two texts of one todo apart, nothing more
_NESTED, _PRIORITY, _UPDATED = "nested", "p", "@"  # marks of a stored `Seen`
_FINISHED = (ForeignState.DONE, ForeignState.FAILED)
_GIVEN_UP = (ForeignState.CANCELLED, ForeignState.DROPPED)


class Step(StrEnum):
    ADDED = "added"
    UPDATED = "updated"  # anything but its end
    COMPLETED = "completed"  # done or failed over there
    KEPT = "kept"  # the source says something else, and what is here counts
    UNCHANGED = "unchanged"
    LEFT_OUT = "left_out"  # given up over there and never imported


class Keeping(StrEnum):
    CLOSED_HERE = "closed_here"
    EDITED_HERE = "edited_here"
    HELD_HERE = "held_here"  # somebody claimed or leased it
    CANCELLED_THERE = "cancelled_there"  # only `todo supersede` gives up work
    OLDER_THERE = "older_there"  # the source said something newer before
    VALIDATION_REQUIRED = "validation_required"  # it completes only when its command exits 0


class Seen(Value):
    """What the source said of a record when it was last taken over; `nested`: its parts were linked."""

    text: str
    state: ForeignState = ForeignState.OPEN
    nested: bool = False
    priority: int | None = None
    updated_at: Instant | None = None

    @classmethod
    def of(cls, record: ForeignRecord, *, nested: bool) -> Seen:
        """What it says now; that somebody has begun over there is no state of its own."""
        state = ForeignState.OPEN if record.state is ForeignState.STARTED else record.state
        return cls(text_digest(record.text), state, nested, record.priority, record.updated_at)

    @classmethod
    def read(cls, stored: str) -> Seen:
        """The value that `str` made this text of."""
        text, *marks = stored.split()
        states = [mark for mark in marks if mark in _STATES]
        numbers = {mark[0]: int(mark[1:]) for mark in marks if mark[0] in (_PRIORITY, _UPDATED)}
        return cls(
            text,
            ForeignState(states[0]) if states else ForeignState.OPEN,
            _NESTED in marks,
            numbers.get(_PRIORITY),
            numbers.get(_UPDATED),
        )

    @property
    def undated(self) -> Seen:
        """Without the date: that a source was touched is no news by itself."""
        return self._replace(updated_at=None)

    def __str__(self) -> str:
        said = self.text
        if self.state is not ForeignState.OPEN:
            said += f" {self.state.value}"
        if self.nested:
            said += f" {_NESTED}"
        if self.priority is not None:
            said += f" {_PRIORITY}{self.priority}"
        if self.updated_at is not None:
            said += f" {_UPDATED}{self.updated_at}"
        return said


_STATES = frozenset(state.value for state in ForeignState)


class Known(Value):
    """The todo that a record became, as it is now, and what the source said of it last."""

    todo_id: str
    text: str
    is_closed: bool
    seen: Seen
    priority: int = 2
    updated_at: Instant = 0
    kept: str | None = None


class Planned(Value):
    """What shall happen to a record.

    `links` and `unlinks` are the source ids for which its todo begins and ceases to wait; `kept` is what
    is remembered beside the todo, `reason` why what is here counts.
    """

    record: ForeignRecord
    step: Step
    seen: Seen
    kept: str | None = None
    known: Known | None = None
    reason: Keeping | None = None
    links: tuple[str, ...] = ()
    unlinks: tuple[str, ...] = ()

    @property
    def is_news(self) -> bool:
        """Whether the source says anything else than last time, its date apart."""
        old = self.known
        return old is None or self.kept != old.kept or self.seen.undated != old.seen.undated


class ImportPlan(Value):
    """A step for each record, in file order; `order` has their places, what is waited for first."""

    planned: list[Planned]
    order: list[int]
    notes: list[Note]


def plan_import(records: Sequence[ForeignRecord], known: Mapping[str, Known], *, nested: bool) -> ImportPlan:
    """What shall happen to each record; with `nested` an open one waits for those directly inside it."""
    unique, notes = newest_of_each(records)
    spelled = [_spelled(record) for record in unique]
    waits = waits_of(spelled, known, nested=nested)
    planned = [
        _planned(record, Seen.of(record, nested=nested), known, targets)
        for record, targets in zip(spelled, waits.of, strict=True)
    ]
    return ImportPlan(planned, waits.order, notes + waits.notes)


def text_digest(text: str) -> str:
    """What tells whether a text has changed."""
    return sha256_hex(text.encode("utf-8"))[:_DIGEST_DIGITS]


def _spelled(record: ForeignRecord) -> ForeignRecord:
    """The record with its text's `[Pn]` saying its priority, so that the two agree here (W1.5)."""
    if record.priority is None:
        return record
    text = with_priority_tag(record.text, record.priority)
    return record if text == record.text else record._replace(text=text)


def _planned(record: ForeignRecord, seen: Seen, known: Mapping[str, Known], waits: tuple[str, ...]) -> Planned:
    kept = kept_text(record)
    old = known.get(record.source_id)
    if old is not None and _is_before(seen.updated_at, old.seen.updated_at):
        seen = seen._replace(updated_at=old.seen.updated_at)
    if old is None:
        step = Step.LEFT_OUT if record.state is ForeignState.DROPPED else Step.ADDED
        return Planned(record, step, seen, kept, links=waits)
    if record.state in _GIVEN_UP:
        if old.is_closed:
            return Planned(record, Step.UNCHANGED, seen, kept, old)
        return Planned(record, Step.KEPT, seen, kept, old, Keeping.CANCELLED_THERE)
    links, unlinks = _relinked(record, old, known, waits)
    step, reason = _step(_News.of(record, seen, kept, old), record, old, is_relinked=bool(links or unlinks))
    return Planned(record, step, seen, kept, old, reason, links, unlinks)


def _relinked(
    record: ForeignRecord, old: Known, known: Mapping[str, Known], waits: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What it waits for anew and no longer; an edge that was linked before stays as it is here by now."""
    if old.is_closed:
        return (), ()
    said = frozenset(read_kept(old.kept).depends_on)
    now = frozenset(record.depends_on)
    links = tuple(
        target
        for target in waits
        if target not in known or (target not in said if target in now else not old.seen.nested)
    )
    return links, tuple(target for target in said if target not in now and target not in waits)


class _News(Value):
    """In what a record differs from what it said last."""

    text: bool
    state: bool
    priority: bool
    kept: bool

    @classmethod
    def of(cls, record: ForeignRecord, seen: Seen, kept: str | None, old: Known) -> _News:
        before = old.seen
        has_priority = record.priority is not None and record.priority != before.priority
        return cls(seen.text != before.text, seen.state is not before.state, has_priority, kept != old.kept)


def _step(news: _News, record: ForeignRecord, old: Known, *, is_relinked: bool) -> tuple[Step, Keeping | None]:
    if not any(news):
        return (Step.UPDATED if is_relinked else Step.UNCHANGED), None
    if _is_before(record.updated_at, old.seen.updated_at):
        return Step.KEPT, Keeping.OLDER_THERE
    if old.is_closed:
        if record.state not in CLOSED_THERE or old.text != record.text:
            return Step.KEPT, Keeping.CLOSED_HERE
        return (Step.UPDATED if news.kept else Step.UNCHANGED), None
    if _is_edited(news, record, old) and not _is_before(old.updated_at, record.updated_at):
        return Step.KEPT, Keeping.EDITED_HERE
    if record.state in _FINISHED:
        return Step.COMPLETED, None
    changes = is_relinked or news.state or news.kept or old.text != record.text or _moves_priority(record, old)
    return (Step.UPDATED if changes else Step.UNCHANGED), None


def _is_edited(news: _News, record: ForeignRecord, old: Known) -> bool:
    """Whether something was changed here since, and not to what the source says now."""
    text = old.text != record.text and text_digest(old.text) != old.seen.text
    priority = news.priority and _moves_priority(record, old) and old.priority != old.seen.priority
    return text or priority


def _moves_priority(record: ForeignRecord, old: Known) -> bool:
    return record.priority not in (None, old.priority)


def _is_before(at: Instant | None, other: Instant | None) -> bool:
    return at is not None and other is not None and at < other
