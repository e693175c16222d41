"""What a second look at a source means for what is already here: three states, and nobody's edit is lost.

Each imported todo remembers what its source said last time. What the source says anew is taken over;
what was edited here since is kept and listed, never overwritten.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from loopx.core.checklist_line import BoxState
from loopx.core.digest import sha256_hex
from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from loopx.core.checklist import Item

_DIGEST_DIGITS = 16  # tells two texts of one todo apart, nothing more


class Step(StrEnum):
    ADDED = "added"
    UPDATED = "updated"  # text or dependencies
    COMPLETED = "completed"
    KEPT = "kept"  # the source says something else, and what is here counts
    UNCHANGED = "unchanged"
    LEFT_OUT = "left_out"  # cancelled in the source and never imported


class Keeping(StrEnum):
    CLOSED_HERE = "closed_here"
    EDITED_HERE = "edited_here"
    HELD_HERE = "held_here"  # somebody claimed or leased it
    CANCELLED_THERE = "cancelled_there"  # only `todo supersede` gives up work
    VALIDATION_REQUIRED = "validation_required"  # it completes only when its command exits 0


class Seen(Value):
    """What the source said of an item when it was last taken over; `nested`: its parts were linked."""

    text: str
    done: bool
    nested: bool

    @classmethod
    def of(cls, item: Item, *, nested: bool) -> Seen:
        """What it says now."""
        return cls(text_digest(item.text), item.state is BoxState.DONE, nested)

    @classmethod
    def read(cls, stored: str) -> Seen:
        """The value that `str` made this text of."""
        text, *marks = stored.split()
        return cls(text, "done" in marks, "nested" in marks)

    def __str__(self) -> str:
        return " ".join((self.text, *(["done"] if self.done else []), *(["nested"] if self.nested else [])))


class Known(Value):
    """The todo that an item became, as it is now."""

    todo_id: str
    text: str
    is_closed: bool
    seen: Seen


class Planned(Value):
    """What shall happen to an item; `links` are the places of the items that it shall wait for too."""

    item: Item
    step: Step
    seen: Seen
    known: Known | None = None
    kept: Keeping | None = None
    links: tuple[int, ...] = ()


def plan_import(items: Sequence[Item], known: Mapping[str, Known], *, nested: bool) -> list[Planned]:
    """A step for each item, in order; with `nested` an open item waits for the items directly inside it."""
    parts = _parts(items) if nested else {}
    return [
        _planned(item, Seen.of(item, nested=nested), known, [(at, items[at]) for at in parts.get(place, ())])
        for place, item in enumerate(items)
    ]


def text_digest(text: str) -> str:
    """What tells whether a text has changed."""
    return sha256_hex(text.encode("utf-8"))[:_DIGEST_DIGITS]


def _parts(items: Sequence[Item]) -> dict[int, list[int]]:
    """The places of the items directly inside each item; cancelled ones hold nobody."""
    parts: dict[int, list[int]] = {}
    for place, item in enumerate(items):
        if item.parent is not None and item.state is not BoxState.CANCELLED:
            parts.setdefault(item.parent, []).append(place)
    return parts


def _planned(item: Item, seen: Seen, known: Mapping[str, Known], parts: list[tuple[int, Item]]) -> Planned:
    old = known.get(item.source_id)
    if item.state is BoxState.CANCELLED:
        return _cancelled(item, seen, old)
    if old is None:
        links = () if seen.done else tuple(place for place, _ in parts)
        return Planned(item, Step.ADDED, seen, links=links)
    links = (
        () if old.is_closed else tuple(at for at, part in parts if not old.seen.nested or part.source_id not in known)
    )
    step, kept = _step(item, seen, old, links)
    return Planned(item, step, seen, old, kept, links)


def _cancelled(item: Item, seen: Seen, old: Known | None) -> Planned:
    if old is None:
        return Planned(item, Step.LEFT_OUT, seen)
    if old.is_closed:
        return Planned(item, Step.UNCHANGED, seen, old)
    return Planned(item, Step.KEPT, seen, old, Keeping.CANCELLED_THERE)


def _step(item: Item, seen: Seen, old: Known, links: tuple[int, ...]) -> tuple[Step, Keeping | None]:
    says_news = (seen.text, seen.done) != (old.seen.text, old.seen.done)
    if not says_news:
        return (Step.UPDATED if links else Step.UNCHANGED), None
    if old.is_closed:
        agrees = seen.done and old.text == item.text
        return (Step.UNCHANGED, None) if agrees else (Step.KEPT, Keeping.CLOSED_HERE)
    if old.text != item.text and text_digest(old.text) != old.seen.text:
        return Step.KEPT, Keeping.EDITED_HERE
    if seen.done:
        return Step.COMPLETED, None
    return (Step.UPDATED if links or old.text != item.text else Step.UNCHANGED), None
