"""Pools: how many of a thing may be leased at once, and what waits for a free place."""

from __future__ import annotations

import pytest

from loopx.core.instant import HOUR, MINUTE
from tests.support.cli import Loopx
from tests.support.fakes import FakeClock
from tests.support.lab import add, ask, claim_next, finish, lease, mode, show, start_lab


@pytest.fixture
def lab(inside: Loopx) -> Loopx:
    start_lab(inside)
    inside.ok("pool", "set", "gpu", "--capacity", "1")
    return inside


def acquire(todo: str, agent: str, pool: str = "gpu", *more: str) -> tuple[str, ...]:
    return ("task-lease", "acquire", "--todo-id", todo, "--agent-id", agent, "--pool", pool, *more)


def leased(lab: Loopx) -> int:
    (pool,) = lab.ok("pool", "list")["pools"]
    return int(pool["leased"])


def test_a_pool_is_made_and_changed(lab: Loopx) -> None:
    document = lab.ok("pool", "set", "gpu", "--capacity", "3")
    assert document["pool"] == {"name": "gpu", "capacity": 3, "goal_id": "lab"}
    lab.ok("pool", "set", "cpu", "--capacity", "0")
    assert [(row["name"], row["capacity"]) for row in lab.ok("pool", "list")["pools"]] == [("gpu", 3), ("cpu", 0)]


def test_pools_are_listed_a_page_at_a_time(lab: Loopx) -> None:
    lab.ok("pool", "set", "cpu", "--capacity", "2")
    first = lab.ok("pool", "list", "--limit", "1")
    assert (first["total"], first["truncated"]) == (2, True)
    rest = lab.ok("pool", "list", "--cursor", first["next_cursor"])
    assert [row["name"] for row in rest["pools"]] == ["cpu"]


@pytest.mark.parametrize("capacity", ["-1", "x", "1.5", "1e3", ""])
def test_a_capacity_is_a_whole_number_of_places(lab: Loopx, capacity: str) -> None:
    lab.refused("pool", "set", "gpu", "--capacity", capacity, code="usage", exit_code=2)


@pytest.mark.parametrize("name", ["two words", "", " ", "-x", "x" * 81])
def test_a_pool_has_a_name(lab: Loopx, name: str) -> None:
    lab.refused("pool", "set", "--capacity", "1", "--", name, code="usage", exit_code=2)


def test_a_teammate_sets_no_pool(lab: Loopx) -> None:
    argv = ("pool", "set", "gpu", "--capacity", "9")
    lab.refused(*argv, env={"LOOPX_ROLE": "teammate"}, code="role_not_allowed", exit_code=3)


def test_a_pool_lends_as_many_places_as_it_has(lab: Loopx) -> None:
    one, two = add(lab, "one"), add(lab, "two")
    taken = lab.ok(*acquire(one, "ann"))["lease"]
    assert taken["pool"] == "gpu"
    refusal = lab.refused(*acquire(two, "bob"), code="lease_conflict", exit_code=4)
    assert refusal.error["details"]["pool"] == "gpu"
    assert show(lab, two)["lease"] is None
    lab.ok("pool", "set", "gpu", "--capacity", "2")
    lab.ok(*acquire(two, "bob"))
    assert leased(lab) == 2


def test_a_place_is_free_from_the_instant_of_expiry_on(lab: Loopx, clock: FakeClock) -> None:
    one, two = add(lab, "one"), add(lab, "two")
    lab.ok(*acquire(one, "ann", "gpu", "--ttl", "1h"))
    clock.advance(HOUR - 1)
    lab.refused(*acquire(two, "bob"), code="lease_conflict")
    clock.advance(1)
    assert leased(lab) == 0
    lab.ok(*acquire(two, "bob"))


@pytest.mark.parametrize("end", ["release", "complete", "supersede"])
def test_a_place_is_free_once_its_lease_has_ended(lab: Loopx, end: str) -> None:
    one, two = add(lab, "one"), add(lab, "two")
    taken = lab.ok(*acquire(one, "ann"))["lease"]
    token = ("--claim-token", taken["claim_token"])
    fence = ("--lease-id", taken["lease_id"], "--agent-id", "ann", "--expect-version", "1")
    if end == "release":
        lab.ok("task-lease", "release", *fence)
    elif end == "complete":
        finish(lab, one, "ann", *token)
    else:
        lab.ok("todo", "supersede", one, "--agent-id", "ann", *token, "--reason", "no", "--no-replacement")
    lab.ok(*acquire(two, "bob"))


def test_a_lowered_capacity_takes_nothing_away(lab: Loopx) -> None:
    one = add(lab, "one")
    taken = lab.ok(*acquire(one, "ann"))["lease"]
    lab.ok("pool", "set", "gpu", "--capacity", "0")
    assert leased(lab) == 1
    fence = ("--lease-id", taken["lease_id"], "--agent-id", "ann", "--expect-version", "1")
    assert lab.ok("task-lease", "renew", *fence)["lease"]["pool"] == "gpu"


@pytest.mark.parametrize("name", [" gpu ", "ｇｐｕ"])
def test_a_pools_name_has_one_spelling(lab: Loopx, name: str) -> None:
    assert lab.ok(*acquire(add(lab, "one"), "ann", name))["lease"]["pool"] == "gpu"


def test_an_unknown_pool_is_refused_with_the_near_match(lab: Loopx) -> None:
    refusal = lab.refused(*acquire(add(lab, "one"), "ann", "gpus"), code="usage", exit_code=2)
    assert "'gpu'" in refusal.error["message"]


# --- what waits for a place ----------------------------------------------------------------


def test_work_that_waits_for_capacity_wakes_and_sleeps_with_it(lab: Loopx, clock: FakeClock) -> None:
    busy = add(lab, "busy", "--claimed-by", "bob")
    waiting = add(lab, "waits", "--status", "deferred", "--resume-when", "capacity_available:gpu")
    assert ask(lab)["selected_todo"]["todo_id"] == waiting
    taken = lab.ok(*acquire(busy, "bob", "gpu", "--ttl", "30m"))["lease"]
    assert mode(ask(lab)) == "wait_peers"
    clock.advance(30 * MINUTE)
    assert ask(lab)["selected_todo"]["todo_id"] == waiting
    assert taken["pool"] == "gpu"


def test_claim_next_opens_what_its_condition_has_woken(lab: Loopx) -> None:
    waiting = add(lab, "waits", "--status", "deferred", "--resume-when", "capacity_available:gpu")
    assert claim_next(lab)["claim"]["task"]["id"] == waiting
    todo = show(lab, waiting)
    assert (todo["status"], todo["resume_when"]) == ("open", None)


def test_acquiring_opens_what_its_condition_has_woken_and_nothing_else(lab: Loopx) -> None:
    waiting = add(lab, "waits", "--status", "deferred", "--resume-when", "capacity_available:gpu")
    asleep = add(lab, "sleeps", "--status", "deferred", "--resume-when", "in:1h")
    lab.refused(*acquire(asleep, "ann"), code="todo_not_open", exit_code=3)
    lab.ok(*acquire(waiting, "ann"))
    assert show(lab, waiting)["status"] == "open"


def test_a_condition_on_a_pool_that_is_not_there_can_never_hold(lab: Loopx) -> None:
    argv = ("todo", "add", "--text", "x", "--status", "deferred", "--resume-when", "capacity_available:tpu")
    lab.refused(*argv, code="resume_condition_unsatisfiable", exit_code=3)


def test_claimed_work_on_a_pool_is_nobodys_place(lab: Loopx) -> None:
    """Only leases take places: a soft claim starts nothing (W3.6)."""
    todo = add(lab, "one")
    lab.ok("todo", "claim", todo, "--claimed-by", "ann")
    lease(lab, add(lab, "two"), "bob")
    assert leased(lab) == 0
