"""Who waits for whom in an imported source, after everything was left out that cannot be.

Real files hold ids twice, edges to nothing and cycles. Each is mended in one stated way and told in a
note; nothing here recurses or walks an edge more than a few times.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

from loopx.core.foreign.record import CLOSED_THERE, ForeignState, Note
from loopx.core.graph import arrows
from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence

    from loopx.core.foreign.record import ForeignRecord

_PATHS_SHOWN = 20  # cycles that a report names by their whole path


class Waits(Value):
    """For each record, by its place, the source ids that it waits for; `order` has what is waited for first."""

    of: list[tuple[str, ...]]
    order: list[int]
    notes: list[Note]


def newest_of_each(records: Sequence[ForeignRecord]) -> tuple[list[ForeignRecord], list[Note]]:
    """One record an id: the last updated, of equally old ones the last; the others are noted."""
    best: dict[str, int] = {}
    notes: list[Note] = []
    for place, record in enumerate(records):
        other = best.setdefault(record.source_id, place)
        if other != place:
            older, newer = sorted((other, place), key=lambda at: (records[at].updated_at or 0, at))
            best[record.source_id] = newer
            notes.append(_duplicate(records[older]))
    if not notes:
        return list(records), notes
    return [record for place, record in enumerate(records) if best[record.source_id] == place], notes


def waits_of(records: Sequence[ForeignRecord], known: Container[str], *, nested: bool) -> Waits:
    """What each open record waits for; with `nested` also for the records directly inside it.

    Edges to nothing, to itself and those that close a cycle are left out and noted. An edge to what is only
    remembered holds nobody; one to cancelled work stays, and whoever waits for that is a repair as ever (W10.4).
    """
    edges = _Edges(records, known, nested=nested)
    of = [edges.of(record) for record in records]
    walk = _Walk(records, edges.places, of).whole()
    return Waits(walk.of, walk.order, edges.notes + walk.notes)


def _duplicate(record: ForeignRecord) -> Note:
    return Note("duplicate_id", f"{record.source_id} is there again and newer", record.line, record.path)


class _Edges:
    """Decides edge by edge which of them can be."""

    def __init__(self, records: Sequence[ForeignRecord], known: Container[str], *, nested: bool) -> None:
        self.places = {record.source_id: place for place, record in enumerate(records)}
        self.notes: list[Note] = []
        self._known = known
        self._dropped = {record.source_id for record in records if record.state is ForeignState.DROPPED}
        self._parts: dict[str, list[str]] = {}
        if nested:
            for record in records:
                if record.parent is not None:
                    self._parts.setdefault(record.parent, []).append(record.source_id)

    def of(self, record: ForeignRecord) -> tuple[str, ...]:
        """The edges of one record, each once."""
        parts = self._parts.get(record.source_id, ())
        if not (record.depends_on or parts) or record.state in CLOSED_THERE:
            return ()
        found = [target for target in dict.fromkeys(record.depends_on) if self._is_sound(record, target)]
        found += [part for part in parts if part not in self._dropped and part != record.source_id]
        return tuple(dict.fromkeys(found))

    def _is_sound(self, record: ForeignRecord, target: str) -> bool:
        if target in self._dropped:
            return False
        if target == record.source_id:
            self._note(record, "dependency_self", f"{target} waits for itself")
        elif target not in self.places and target not in self._known:
            self._note(record, "dependency_dangling", f"{record.source_id} waits for {target}, which is not there")
        else:
            return True
        return False

    def _note(self, record: ForeignRecord, reason_code: str, message: str) -> None:
        self.notes.append(Note(reason_code, f"{message}; the edge was left out", record.line, record.path))


class _Step(IntEnum):
    NEW = 0
    ON_WAY = 1  # the walk is below it now
    DONE = 2


class _Walk:
    """A depth-first walk without recursion that cuts every edge back to where it came from."""

    def __init__(self, records: Sequence[ForeignRecord], places: Mapping[str, int], of: list[tuple[str, ...]]) -> None:
        self.order: list[int] = []
        self.notes: list[Note] = []
        self.of = of
        self._records, self._places = records, places
        self._steps = [_Step.NEW] * len(records)
        self._cut: dict[int, set[str]] = {}

    def whole(self) -> _Walk:
        """Walk from every record, the last one first, so that what stands above is above."""
        for place in reversed(range(len(self._records))):
            if self._steps[place] is _Step.NEW:
                self._from(place)
        for place, targets in self._cut.items():
            self.of[place] = tuple(target for target in self.of[place] if target not in targets)
        return self

    def _from(self, start: int) -> None:
        way = {start: self._entered(start)}  # insertion order is the way down
        while way:
            place = next(reversed(way))
            below = self._next_below(place, way)
            if below is None:
                way.popitem()  # the place itself; `del` would leave a hole that the next look has to cross
                self._steps[place] = _Step.DONE
                self.order.append(place)
            else:
                way[below] = self._entered(below)

    def _entered(self, place: int) -> Iterator[str]:
        self._steps[place] = _Step.ON_WAY
        return iter(self.of[place])

    def _next_below(self, place: int, way: dict[int, Iterator[str]]) -> int | None:
        """The next record that is still to be walked; edges back are cut on the way."""
        for target in way[place]:
            below = self._places.get(target)
            if below is None or self._steps[below] is _Step.DONE:
                continue
            if self._steps[below] is _Step.NEW:
                return below
            self._cut.setdefault(place, set()).add(target)
            self.notes.append(self._cycle(place, below, way))
        return None

    def _cycle(self, place: int, back: int, way: dict[int, Iterator[str]]) -> Note:
        record = self._records[place]
        shown = f"{record.source_id} → {self._records[back].source_id}"
        if len(self.notes) < _PATHS_SHOWN:
            steps = list(way)
            ids = [self._records[step].source_id for step in steps[steps.index(back) :]]
            shown = arrows((*ids, ids[0]))
        message = f"the dependency would close a cycle: {shown}; the last edge was left out"
        return Note("dependency_cycle", message, record.line, record.path)
