"""The history: one changed, one missing and one swapped row are each found and named (design.md §3)."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from loopx.store.chain import ChainFault, ChainFaultKind, chain_faults
from loopx.store.events import COLUMNS, digest_of
from tests.support.project import database_of, foreign_hand, make_state, seeded

EVENTS = 8


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_state(tmp_path)
    seeded(tmp_path, EVENTS)
    return tmp_path


def faults(root: Path) -> list[tuple[ChainFaultKind, int, int]]:
    with closing(sqlite3.connect(database_of(root))) as db:
        return [tuple(fault) for fault in chain_faults(db)]


def test_a_history_that_nobody_touched_has_no_faults(root: Path) -> None:
    assert faults(root) == []


@pytest.mark.parametrize("column", ["actor", "reason", "changes", "at", "operation_id", "previous_digest", "digest"])
@pytest.mark.parametrize("place", [1, 4, EVENTS])
def test_a_changed_row_is_named_whatever_was_changed(root: Path, column: str, place: int) -> None:
    with foreign_hand(root) as db:
        value = 7 if column == "at" else "ff"
        db.execute(f"UPDATE events SET {column} = ? WHERE sequence = ?", (value, place))
    assert faults(root) == [(ChainFaultKind.CHANGED, place, place)]


@pytest.mark.parametrize("place", [1, 4, EVENTS - 1])
def test_a_missing_row_is_named(root: Path, place: int) -> None:
    with foreign_hand(root) as db:
        db.execute("DELETE FROM events WHERE sequence = ?", (place,))
    assert faults(root) == [(ChainFaultKind.MISSING, place, place)]


def test_a_run_of_missing_rows_is_one_fault(root: Path) -> None:
    with foreign_hand(root) as db:
        db.execute("DELETE FROM events WHERE sequence BETWEEN 3 AND 5")
    assert faults(root) == [(ChainFaultKind.MISSING, 3, 5)]


@pytest.mark.parametrize(("one", "other"), [(1, 2), (3, 6), (7, EVENTS)])
def test_swapped_rows_are_both_named_with_where_they_belong(root: Path, one: int, other: int) -> None:
    with foreign_hand(root) as db:
        for old, new in ((one, -1), (other, one), (-1, other)):
            db.execute("UPDATE events SET sequence = ? WHERE sequence = ?", (new, old))
    moved = [fault for fault in faults(root) if fault[0] is ChainFaultKind.MOVED]
    assert moved == [(ChainFaultKind.MOVED, one, other), (ChainFaultKind.MOVED, other, one)]


def test_a_row_that_was_replaced_with_a_fresh_digest_breaks_the_link_behind_it(root: Path) -> None:
    with foreign_hand(root) as db:
        row = list(db.execute(f"SELECT {COLUMNS} FROM events WHERE sequence = 4").fetchone())
        row[3] = "somebody else"
        db.execute("UPDATE events SET actor = ?, digest = ? WHERE sequence = 4", (row[3], digest_of(row[:-1])))
    assert faults(root) == [(ChainFaultKind.UNLINKED, 5, 5)]


def test_every_fault_says_which_event_it_means() -> None:
    for kind in ChainFaultKind:
        assert "17" in str(ChainFault(kind, 17, 17))
