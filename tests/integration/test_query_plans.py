"""Each question of the hot path has an index of its own and keeps it, whatever index is added for another (budgets)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any

import pytest

from loopx.app import expiry, lease_scope
from loopx.store import cohorts
from loopx.store.connect import empty_graph
from loopx.store.todo_row import FROM

VALUES = {
    "goal": "g", "now": 1, "active": "[]", "pools": "[]", "single": "[]", "no_change": 10, "route": 1,
}  # fmt: skip
WINDOWS = {
    cohorts._HELD: "todos_held",
    cohorts._SOFTLY_HELD: "todos_soft",
    cohorts._MONITORS: "todos_due",
    cohorts._BROKEN: "todos_broken",
}
PARTS = {"ready": "todos_free", "waiting": "todos_waiting", "blocked": "todos_blocked", "asleep": "todos_sleeping"}


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    db = empty_graph()
    yield db
    db.close()


def plan(db: sqlite3.Connection, sql: str, values: Any = VALUES) -> str:
    return "\n".join(row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {sql}", values))


@pytest.mark.parametrize(("condition", "index"), WINDOWS.items(), ids=WINDOWS.values())
def test_what_is_few_is_found_by_its_own_index(db: sqlite3.Connection, condition: str, index: str) -> None:
    assert f"INDEX {index} " in plan(db, f"SELECT t.todo_id {FROM} WHERE {condition}")


def test_whether_anything_is_softly_claimed_is_asked_of_its_own_index(db: sqlite3.Connection) -> None:
    assert "INDEX todos_soft " in plan(db, f"SELECT EXISTS (SELECT 1 FROM todos WHERE {cohorts._SOFT})")


@pytest.mark.parametrize(("part", "index"), PARTS.items())
def test_the_head_of_a_group_is_read_from_its_own_index_in_order(db: sqlite3.Connection, part: str, index: str) -> None:
    where = f"t.route_id = :route AND {cohorts._PARTS[part]} ORDER BY t.priority, t.sequence LIMIT 1"
    found = plan(db, f"SELECT t.todo_id {FROM} WHERE {where}")
    assert f"INDEX {index} " in found
    assert "TEMP B-TREE" not in found


@pytest.mark.parametrize("where", [expiry._EXPIRED, lease_scope._LIVE], ids=["expired", "writing"])
def test_leases_are_found_by_their_end_and_not_by_visiting_every_todo(db: sqlite3.Connection, where: str) -> None:
    found = plan(db, f"SELECT t.todo_id {FROM} {where}", (1,))
    assert "INDEX todos_leased " in found
    assert "SCAN t" not in found
