"""The history gives the tables, and whatever a foreign hand changed shows as drift (design.md §3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from loopx.app.fact import record_fact
from loopx.app.lease import LeaseRequest, acquire_lease
from loopx.app.todo_claim import claim_todo
from loopx.app.todo_complete import Completion, complete_todo
from loopx.core.instant import HOUR
from loopx.store.recount import Miscount, miscounts, recount
from loopx.store.replay import Drift, drifts, past_events, replay, table_state
from tests.support.crew import add, claim, complete, depend
from tests.support.fakes import FakeClock
from tests.support.project import REGISTRY, call, foreign_hand, make_state, opened

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from loopx.app.project import Project
    from loopx.store.connection import Connection


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def project(tmp_path: Path, clock: FakeClock) -> Iterator[Project]:
    criterion = "    acceptance: [{id: A1, text: It is found}]\n    coordination:"
    make_state(tmp_path, REGISTRY.replace("    coordination:", criterion))
    with opened(tmp_path, clock=clock) as project:
        yield project


@pytest.fixture
def graph(project: Project) -> list[str]:
    one, two = (str(add(project, text=text)["todo"]["todo_id"]) for text in ("one", "two"))
    depend(project, todo=two, on=one, agent="ann")
    return [one, two]


def drift(db: Connection) -> list[Drift]:
    return drifts(replay(past_events(db)), table_state(db))


def test_every_table_that_events_tell_of_comes_back_from_them(
    project: Project, graph: list[str], clock: FakeClock
) -> None:
    one, two = graph
    acquire_lease(project, call("lease_acquired", "ann"), LeaseRequest(one))
    clock.advance(HOUR)
    claim_todo(project, call("todo_claimed", "bob"), one, HOUR)
    record_fact(project, call("fact_recorded", "bob"), "pr_merged:lab#1", "seen")
    record_fact(project, call("fact_recorded", "bob"), "pr_merged:lab#1", "seen again")
    complete_todo(project, call("todo_completed", "bob"), one, Completion(evidence="seen", meets=("A1",)))
    complete(project, todo=two, agent="bob", then="more")

    def check(db: Connection) -> None:
        state = replay(past_events(db))
        assert state == table_state(db)
        filled = {table: len(rows) for table, rows in state.items() if rows}
        assert filled == {"todos": 3, "claim_tokens": 1, "lapses": 1, "facts": 1, "criteria_met": 1}

    project.read(lambda snapshot: check(snapshot.db))
    claim_todo(project, call("todo_claimed", "ann"), add(project, text="x")["todo"]["todo_id"], HOUR)
    project.read(lambda snapshot: check_no_drift(snapshot.db))


def check_no_drift(db: Connection) -> None:
    assert drift(db) == []


def test_a_lapse_that_was_forgiven_is_gone_from_both(project: Project, graph: list[str], clock: FakeClock) -> None:
    acquire_lease(project, call("lease_acquired", "ann"), LeaseRequest(graph[0]))
    clock.advance(HOUR)
    claim(project, todo=graph[0], agent="ann")
    state = project.read(lambda snapshot: replay(past_events(snapshot.db)))
    assert state["lapses"] == {}
    project.read(lambda snapshot: check_no_drift(snapshot.db))


def test_a_past_state_is_what_the_events_up_to_it_say(project: Project, graph: list[str]) -> None:
    one, two = graph
    complete(project, todo=one, agent="ann")

    def statuses(db: Connection) -> list[dict[str, str]]:
        states = [replay(past_events(db, until=until))["todos"] for until in range(5)]
        return [{todo_id: record["status"] for todo_id, record in todos.items()} for todos in states]

    both = {one: "open", two: "open"}
    history = project.read(lambda snapshot: statuses(snapshot.db))
    assert history == [{}, {one: "open"}, both, both, {one: "done", two: "open"}]


@pytest.mark.parametrize(
    ("statement", "column"),
    [
        ("UPDATE todos SET text = 'other' WHERE todo_id = :one", "text"),
        ("UPDATE todos SET lease_version = 7 WHERE todo_id = :one", "lease_version"),
        ("UPDATE todos SET updated_at = updated_at + 1 WHERE todo_id = :one", "updated_at"),
        ("DELETE FROM edges WHERE todo_id = :two", "blocked_by"),
        ("INSERT INTO lineage VALUES (:one, :two, 0)", "successors"),
        ("DELETE FROM todos WHERE todo_id = :two", "status"),
        ("INSERT INTO facts VALUES ('pr_merged:x', 'none', 'nobody', 1)", "fact"),
        ("INSERT INTO claim_tokens VALUES ('t', :one, 'lease_x', 'bob', 1)", "token"),
    ],
)
def test_every_foreign_edit_shows_as_drift(
    tmp_path: Path, project: Project, graph: list[str], statement: str, column: str
) -> None:
    with foreign_hand(tmp_path) as db:
        db.execute(statement, dict(zip(("one", "two"), graph, strict=True)))
    (found,) = project.read(lambda snapshot: drift(snapshot.db))
    assert column in found.columns


@pytest.mark.parametrize("column", ["unmet", "broken", "resume_met", "followed"])
def test_every_kept_value_of_a_todo_is_counted_anew(
    tmp_path: Path, project: Project, graph: list[str], column: str
) -> None:
    with foreign_hand(tmp_path) as db:
        db.execute(f"UPDATE todos SET {column} = 1 - {column} WHERE todo_id = ?", (graph[1],))
        (fault,) = [one for one in miscounts(db) if one.table == "todos"]
        assert fault == Miscount("todos", graph[1], column, kept=1 - fault.true, true=fault.true)
        recount(db)
        assert miscounts(db) == []


@pytest.mark.parametrize("column", ["open_count", "ready_count", "blocked_count", "deferred_count"])
def test_every_kept_count_of_a_group_is_counted_anew(
    tmp_path: Path, project: Project, graph: list[str], column: str
) -> None:
    with foreign_hand(tmp_path) as db:
        db.execute(f"UPDATE routes SET {column} = {column} + 1")
        (fault,) = miscounts(db)
        assert (fault.table, fault.column, fault.kept) == ("routes", column, fault.true + 1)
        recount(db)
        assert miscounts(db) == []
