"""The chain of events, verified: a changed, missing or moved row is found and named (design.md §3)."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any

from loopx.core.value import Value
from loopx.store.events import COLUMNS, FIRST_DIGEST, digest_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from loopx.store.connection import Connection

    Progress = Callable[[int], None]

Row = tuple[Any, ...]

_ROWS = f"SELECT {COLUMNS} FROM events ORDER BY sequence"
_STEP = 10_000  # rows between two reports of progress
_MOST_COMPARED = 200  # beyond this many changed rows it does not matter which of them changed places


class ChainFaultKind(StrEnum):
    MISSING = "missing"  # no row of that number, and rows after it
    CHANGED = "changed"  # the row says something else than its digest
    MOVED = "moved"  # the row is whole and stands at another row's place
    UNLINKED = "unlinked"  # the row is whole and does not follow from the one before it


class ChainFault(Value):
    """What is wrong at `sequence`; `last` ends a run of missing rows, and is where a moved row comes from."""

    kind: ChainFaultKind
    sequence: int
    last: int

    def __str__(self) -> str:
        match self.kind:
            case ChainFaultKind.MISSING:
                more = f" to {self.last}" if self.last > self.sequence else ""
                return f"missing in the history: event {self.sequence}{more}"
            case ChainFaultKind.CHANGED:
                return f"event {self.sequence} was changed: its digest does not fit what it says"
            case ChainFaultKind.MOVED:
                return f"event {self.sequence} was swapped: it holds what was event {self.last}"
            case ChainFaultKind.UNLINKED:
                return f"event {self.sequence} does not follow from event {self.sequence - 1}, one of them was replaced"


def chain_faults(db: Connection, *, progress: Progress | None = None) -> list[ChainFault]:
    """Everything that is wrong with the chain, in its order; empty for a whole one."""
    faults: list[ChainFault] = []
    wrong: list[Row] = []
    before: Row | None = None
    for number, row in enumerate(db.execute(_ROWS)):
        if progress is not None and number % _STEP == 0:
            progress(number)
        faults += _faults_between(before, row)
        if digest_of(row[:-1]) != row[-1]:
            wrong.append(row)
        before = row
    return sorted([*faults, *_changed(wrong)], key=lambda fault: fault.sequence)


def _faults_between(before: Row | None, row: Row) -> Iterator[ChainFault]:
    expected = 1 if before is None else before[0] + 1
    if row[0] != expected:
        yield ChainFault(ChainFaultKind.MISSING, expected, row[0] - 1)
    elif row[-2] != (FIRST_DIGEST if before is None else before[-1]) and _is_whole(row) and _is_whole(before):
        yield ChainFault(ChainFaultKind.UNLINKED, row[0], row[0])


def _is_whole(row: Row | None) -> bool:
    return row is None or digest_of(row[:-1]) == row[-1]


def _changed(rows: list[Row]) -> Iterator[ChainFault]:
    places = {row[0] for row in rows[:_MOST_COMPARED]}
    for row in rows:
        near = places | {row[0] - 1, row[0] + 1} if row[0] in places else set()
        origin = next((place for place in sorted(near) if digest_of((place, *row[1:-1])) == row[-1]), None)
        if origin is None:
            yield ChainFault(ChainFaultKind.CHANGED, row[0], row[0])
        else:
            yield ChainFault(ChainFaultKind.MOVED, row[0], origin)
