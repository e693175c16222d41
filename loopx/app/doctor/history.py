"""Is the database sound, its history unbroken, and are its tables what the history says?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.doctor.case import Case, error
from loopx.store.chain import ChainFaultKind, chain_faults
from loopx.store.health import broken_references, damaged_pages, missing_sequences
from loopx.store.replay import Drift, drifts, past_events, replay, table_state

if TYPE_CHECKING:
    from collections.abc import Iterator

    from loopx.core.finding import Finding

_SHOWN_COLUMNS = 8
_CODES = {
    ChainFaultKind.MISSING: "event_missing",
    ChainFaultKind.CHANGED: "event_changed",
    ChainFaultKind.MOVED: "event_moved",
    ChainFaultKind.UNLINKED: "event_unlinked",
}


def pages(case: Case) -> Iterator[Finding]:
    """SQLite's own check of its pages and indexes."""
    for words in damaged_pages(case.db):
        yield error("database_corrupt", "loopx.db", words)


def references(case: Case) -> Iterator[Finding]:
    """Rows that name a row that is not there."""
    for table, key, parent in broken_references(case.db):
        yield error("row_orphaned", f"{table} {key}", f"the row names a row of {parent} that does not exist")


def chain(case: Case) -> Iterator[Finding]:
    """Every event, its digest and its place."""
    for fault in chain_faults(case.db, progress=lambda number: case.progress(f"event {number}")):
        yield error(_CODES[fault.kind], f"event {fault.sequence}", str(fault))


def sequences(case: Case) -> Iterator[Finding]:
    """Numbers that were given to todos of which there is no trace."""
    for first, last in missing_sequences(case.db):
        which = f"todo {first}" if first == last else f"todos {first} to {last}"
        yield error("sequence_gap", f"sequence {first}", f"{which} in the order of creation is gone from the tables")


def replayed(case: Case) -> Iterator[Finding]:
    """What the tables say and their history does not, or the reverse."""
    for drift in drifts(replay(past_events(case.db)), table_state(case.db)):
        yield error("history_differs", f"{drift.table} {drift.key}", _difference(drift))


def _difference(drift: Drift) -> str:
    if drift.stored is None:
        return "the history has this row and the table has not"
    if drift.replayed is None:
        return "the table has this row and the history has not"
    shown = ", ".join(drift.columns[:_SHOWN_COLUMNS])
    more = ", …" if len(drift.columns) > _SHOWN_COLUMNS else ""
    return f"the table says something else than the history in {shown}{more}"
