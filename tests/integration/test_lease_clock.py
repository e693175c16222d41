"""Clocks that are set: what is left of a lease never grows from one write to the next (decision 0010)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from loopx.app.claim_next import Wish, claim_next
from loopx.app.lease import LeaseRequest, LeaseStep, acquire_lease, renew_lease
from loopx.app.log import LogFilter, read_log
from loopx.app.page import Page
from loopx.app.successors import Following
from loopx.app.todo_add import add_todo
from loopx.app.todo_complete import Completion, complete_todo
from loopx.app.todo_new import NewTodo
from loopx.app.todo_show import show_todo
from loopx.core.errors import LeaseConflictError, LeaseExpiredError
from loopx.core.instant import DAY, MINUTE, SECOND, format_instant
from loopx.store.replay import drifts, past_events, replay, table_state
from tests.support.fakes import START, FakeClock
from tests.support.project import call, make_state, open_project

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from loopx.app.project import Project

TTL = 10 * MINUTE


@pytest.fixture
def project(tmp_path: Path, clock: FakeClock) -> Iterator[Project]:
    make_state(tmp_path)
    project = open_project(tmp_path, clock=clock)
    yield project
    project.close()


def add(project: Project, text: str = "work") -> str:
    return str(add_todo(project, call("todo_added"), NewTodo(text=text))["todo"]["todo_id"])


def lease(project: Project, todo: str, agent: str = "ann") -> dict[str, Any]:
    document = acquire_lease(project, call("lease_acquired", agent), LeaseRequest(todo, TTL))["lease"]
    assert isinstance(document, dict)
    return document


def finish(project: Project, todo: str, agent: str, token: str | None) -> dict[str, Any]:
    completion = Completion(evidence="seen", following=Following(no_followup=True))
    return complete_todo(project, call("todo_completed", agent, claim_token=token), todo, completion)


def held_until(project: Project, todo: str) -> str | None:
    shown = show_todo(project, todo)["todo"]["lease"]
    return shown["expires_at"] if shown else None


def actions(project: Project) -> list[str]:
    return [event["action"] for event in read_log(project, LogFilter(), Page())["events"]]


def test_a_step_back_moves_a_lease_back_by_the_same_amount(project: Project, clock: FakeClock) -> None:
    todo = add(project)
    lease(project, todo)
    clock.advance(4 * MINUTE)
    add(project, "something else")
    clock.advance(-3 * MINUTE)
    add(project, "and after the step")
    assert held_until(project, todo) == format_instant(START + 7 * MINUTE)
    assert actions(project)[-2:] == ["clock_set_back", "todo_added"]


def test_after_a_step_back_the_lease_ends_when_what_was_left_of_it_is_over(project: Project, clock: FakeClock) -> None:
    todo = add(project)
    token = lease(project, todo)["claim_token"]
    clock.advance(4 * MINUTE)
    add(project, "something else")
    clock.advance(-3 * MINUTE)
    add(project, "and after the step")
    clock.advance(6 * MINUTE - 1)
    with pytest.raises(LeaseConflictError):
        lease(project, todo, "bob")
    clock.advance(1)
    with pytest.raises(LeaseExpiredError):
        finish(project, todo, "ann", token)
    assert lease(project, todo, "bob")["holder"] == "bob"


def test_a_lease_taken_while_the_clock_stood_ahead_keeps_its_duration(project: Project, clock: FakeClock) -> None:
    todo = add(project)
    clock.advance(DAY)
    claim = claim_next(project, call("todo_claimed_next", "ann"), Wish(ttl=TTL))["claim"]
    clock.advance(-DAY)
    add(project, "the clock is right again")
    assert held_until(project, todo) == format_instant(clock.now() + TTL)
    clock.advance(TTL)
    with pytest.raises(LeaseExpiredError):
        finish(project, todo, "ann", claim["claim_token"])
    assert show_todo(project, todo)["todo"]["claimed_by"] is None  # what claim-next claimed went with the lease


def test_an_end_that_a_refused_call_has_seen_is_final(project: Project, clock: FakeClock) -> None:
    todo = add(project)
    token = lease(project, todo)["claim_token"]
    clock.advance(TTL)
    with pytest.raises(LeaseExpiredError):
        finish(project, todo, "ann", token)
    clock.advance(-1)
    with pytest.raises(LeaseExpiredError):
        finish(project, todo, "ann", token)
    assert show_todo(project, todo)["todo"]["attempts"] == 1


def test_a_refused_call_stores_what_time_did_and_nothing_else(project: Project, clock: FakeClock) -> None:
    todo, other = add(project), add(project)
    lease(project, todo)
    clock.advance(TTL)
    taken = lease(project, other, "bob")
    assert taken["version"] == 1
    before = actions(project)
    lease(project, todo, "ann")
    clock.advance(TTL)
    with pytest.raises(LeaseExpiredError):
        finish(project, other, "bob", taken["claim_token"])
    assert actions(project)[len(before) :] == ["lease_acquired", "leases_expired", "attempt_noted"]


def test_a_dry_run_stores_not_even_what_time_did(project: Project, clock: FakeClock) -> None:
    todo = add(project)
    lease(project, todo)
    clock.advance(TTL)
    before = actions(project)
    acquire_lease(project, call("lease_acquired", "bob", dry_run=True), LeaseRequest(todo, TTL))
    assert actions(project) == before


def test_renewing_after_a_step_back_counts_from_the_clock_as_it_is(project: Project, clock: FakeClock) -> None:
    todo = add(project)
    held = lease(project, todo)
    clock.advance(-DAY)
    again = renew_lease(project, call("lease_renewed", "ann"), LeaseStep(held["lease_id"], 1, TTL))["lease"]
    assert again["expires_at"] == format_instant(START - DAY + TTL)
    assert again["acquired_at"] == format_instant(START - DAY)


def test_a_clock_that_goes_back_and_forth_leaves_a_history_that_gives_the_tables(
    project: Project, clock: FakeClock
) -> None:
    todo = add(project)
    for step in (SECOND, -MINUTE, 3 * MINUTE, -2 * MINUTE, -SECOND, DAY, -DAY):
        lease(project, add(project), "bob")
        clock.advance(step)
    add(project, "the last")
    assert held_until(project, todo) is None
    project.read(lambda snapshot: _agrees(snapshot.db))


def _agrees(db: Any) -> None:
    assert drifts(replay(past_events(db)), table_state(db)) == []
