"""`loopx undo` and `loopx replay`: back to what was, wherever nothing builds on what came since."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from loopx.core.instant import MINUTE
from loopx.store.recount import miscounts
from loopx.store.replay import table_state
from tests.support.cli import Loopx
from tests.support.fakes import FakeClock
from tests.support.lab import add, add_gate, add_monitor, ask, claim_next, finish, lease, show, start_lab
from tests.support.project import open_project

API = "direction:action:api"
RUN = ("--run-kind", "status", "--evidence", "seen")
UNTOLD = ("version", "updated_at")  # they only rise


@pytest.fixture
def lab(inside: Loopx) -> Loopx:
    return start_lab(inside)


def operation(lab: Loopx) -> str:
    """The id of the last operation."""
    return str(lab.ok("log", "--limit", "10000")["events"][-1]["operation_id"])


def state(lab: Loopx) -> Any:
    """What the tables hold, without what only rises; every kept value must be right."""
    with closing(open_project(lab.root)) as project:

        def query(snapshot: Any) -> Any:
            assert miscounts(snapshot.db) == []
            return table_state(snapshot.db)

        held = project.read(query)
    for todo in held["todos"].values():
        for name in UNTOLD:
            todo.pop(name)
    return held


def undo(lab: Loopx, *more: str, **ways: Any) -> dict[str, Any]:
    return lab.ok("undo", "--operation", operation(lab), "--as-user", "--reason", "a mistake", *more, **ways)


# --- undo ----------------------------------------------------------------------------------

CHANGES: dict[str, Callable[[Loopx, str, str], object]] = {
    "update": lambda lab, one, two: lab.ok("todo", "update", one, "--priority", "P0", "--required-capability", "shell"),
    "depend": lambda lab, one, two: lab.ok("todo", "update", two, "--blocked-by", one),
    "claim": lambda lab, one, two: lab.ok("todo", "claim", one, "--claimed-by", "ann"),
    "block": lambda lab, one, two: lab.ok("todo", "block", one, "--reason", "no access"),
    "defer": lambda lab, one, two: lab.ok("todo", "defer", one, "--resume-when", f"todo_done:{two}"),
    "complete": lambda lab, one, two: finish(lab, one),
    "fail": lambda lab, one, two: finish(lab, one, "ann", "--outcome", "failed"),
    "meet": lambda lab, one, two: finish(lab, one, "ann", "--meets", "A1"),
    "supersede": lambda lab, one, two: lab.ok("todo", "supersede", one, "--reason", "no", "--successor-todo-id", two),
    "accept": lambda lab, one, two: lab.ok("goal", "accept", "--criterion", "A1", "--evidence", "seen"),
    "fact": lambda lab, one, two: lab.ok("fact", "record", "pr_merged:lab#1", "--evidence", "seen"),
}


@pytest.fixture
def graph(inside: Loopx) -> tuple[Loopx, str, str]:
    """Two todos, and others that wait for the first in every way."""
    argv = ("--agent", "ann", "--agent", "bob", "--acceptance", "It is known")
    inside.ok("init", "--goal-id", "lab", "--objective", "Find out", *argv)
    one, two = add(inside, "one"), add(inside, "two")
    add(inside, "waits", "--blocked-by", one)
    add(inside, "waits for both", "--blocked-by", one, "--blocked-by", two)
    add(inside, "sleeps", "--status", "deferred", "--resume-when", f"todo_done:{one}")
    add(inside, "sleeps for a fact", "--status", "deferred", "--resume-when", "pr_merged:lab#1")
    return inside, one, two


@pytest.mark.parametrize("name", CHANGES)
def test_an_undone_change_leaves_what_was_there_before(graph: tuple[Loopx, str, str], name: str) -> None:
    lab, one, two = graph
    before = state(lab)
    CHANGES[name](lab, one, two)
    assert state(lab) != before
    undo(lab)
    assert state(lab) == before
    assert lab.ok("doctor")["findings"] == []


@pytest.mark.parametrize("name", ["depend", "supersede", "meet", "fact"])
def test_an_undo_can_be_undone(graph: tuple[Loopx, str, str], name: str) -> None:
    lab, one, two = graph
    CHANGES[name](lab, one, two)
    after = state(lab)
    undo(lab)
    undo(lab)
    assert state(lab) == after
    assert lab.ok("doctor")["healthy"] is True


def test_it_is_an_event_that_says_what_was_undone_and_why(lab: Loopx) -> None:
    todo = add(lab, "one")
    lab.ok("todo", "update", todo, "--priority", "P0", "--operation-id", "op-1")
    document = lab.ok("undo", "--operation", "op-1", "--reason", "a mistake")
    event = lab.ok("log")["events"][-1]
    assert (event["action"], event["reason"], event["todo_id"]) == ("operation_undone", "a mistake", todo)
    assert event["receipt"]["undone"] == document["undone"]
    assert document["undone"]["operation_id"] == "op-1"


def test_what_was_created_keeps_its_id_and_is_superseded_by_nothing(lab: Loopx) -> None:
    one = add(lab, "one")
    finish_with = ("--claimed-by", "ann", "--evidence", "seen", "--next-agent-todo", "two")
    (two,) = lab.ok("todo", "complete", one, *finish_with)["successors"]
    undo(lab)
    assert (show(lab, one)["status"], show(lab, one)["successors"]) == ("open", [])
    withdrawn = show(lab, two)
    assert (withdrawn["closure"], withdrawn["superseded_by"]) == ("superseded", None)
    assert withdrawn["completion_rationale"] == "a mistake"
    assert lab.ok("doctor")["findings"] == []


def test_an_import_like_addition_is_withdrawn_and_never_offered(lab: Loopx) -> None:
    add(lab, "one")
    undo(lab)
    assert ask(lab)["interaction_contract"]["mode"] != "bounded_delivery"


BUILDERS: dict[str, Callable[[Loopx, str], object]] = {
    "a later change": lambda lab, todo: lab.ok("todo", "update", todo, "--priority", "P1"),
    "a claim": lambda lab, todo: lab.ok("todo", "claim", todo, "--claimed-by", "ann"),
    "a dependency": lambda lab, todo: add(lab, "after", "--blocked-by", todo),
    "a sleeper": lambda lab, todo: add(lab, "s", "--status", "deferred", "--resume-when", f"todo_done:{todo}"),
    "a gate": lambda lab, todo: add_gate(lab, API, "--global-gate", "--unblocks-todo-id", todo),
    "a run": lambda lab, todo: lab.ok("refresh-state", "--agent-id", "ann", "--todo-id", todo, *RUN),
}


@pytest.mark.parametrize("name", BUILDERS)
def test_an_addition_that_something_builds_on_stays_and_the_builder_is_named(lab: Loopx, name: str) -> None:
    todo = add(lab, "one")
    first = operation(lab)
    BUILDERS[name](lab, todo)
    before = state(lab)
    answer = lab.refused("undo", "--operation", first, code="undo_blocked", exit_code=4)
    assert todo in answer.error["message"]
    assert state(lab) == before


def test_a_completion_stays_once_what_it_freed_has_gone_on(lab: Loopx) -> None:
    one = add(lab, "one")
    two = add(lab, "two", "--blocked-by", one)
    finish(lab, one)
    first = operation(lab)
    lab.ok("todo", "claim", two, "--claimed-by", "bob")
    assert two in lab.refused("undo", "--operation", first, code="undo_blocked").error["message"]


def test_a_fact_stays_once_a_sleeper_woke_by_it(lab: Loopx) -> None:
    todo = add(lab, "sleeps", "--status", "deferred", "--resume-when", "pr_merged:lab#1")
    lab.ok("fact", "record", "pr_merged:lab#1", "--evidence", "seen")
    first = operation(lab)
    lab.ok("todo", "claim", todo, "--claimed-by", "ann")
    assert todo in lab.refused("undo", "--operation", first, code="undo_blocked").error["message"]


def test_a_restored_dependency_closes_no_cycle(lab: Loopx) -> None:
    one, two = add(lab, "one"), add(lab, "two")
    lab.ok("todo", "update", one, "--blocked-by", two)
    lab.ok("todo", "update", one, "--clear-blocked-by")
    first = operation(lab)
    lab.ok("todo", "update", two, "--blocked-by", one)
    lab.refused("undo", "--operation", first, code="dependency_cycle")


def test_the_newest_is_undone_first_and_then_the_one_before(lab: Loopx) -> None:
    todo = add(lab, "one")
    before = state(lab)
    for number in ("1", "3", "4"):
        lab.ok("todo", "update", todo, "--priority", f"P{number}", "--operation-id", f"op-{number}")
    lab.refused("undo", "--operation", "op-1", code="undo_blocked")
    for number in ("4", "3", "1"):
        lab.ok("undo", "--operation", f"op-{number}")
        lab.refused("undo", "--operation", f"op-{number}", code="undo_blocked")
    assert state(lab) == before


def test_an_undo_that_was_undone_leaves_the_operation_undoable(lab: Loopx) -> None:
    todo = add(lab, "one")
    before = state(lab)
    lab.ok("todo", "update", todo, "--priority", "P0", "--operation-id", "op-1")
    lab.ok("undo", "--operation", "op-1", "--operation-id", "op-2")
    lab.ok("undo", "--operation", "op-2")
    assert show(lab, todo)["priority"] == "P0"
    lab.ok("undo", "--operation", "op-1")
    assert state(lab) == before


def test_an_addition_can_be_undone_once_what_built_on_it_is(lab: Loopx) -> None:
    one = add(lab, "one", "--operation-id", "op-1")
    add(lab, "two", "--blocked-by", one, "--operation-id", "op-2")
    lab.refused("undo", "--operation", "op-1", code="undo_blocked")
    lab.ok("undo", "--operation", "op-2")
    lab.ok("undo", "--operation", "op-1")
    assert lab.ok("doctor")["findings"] == []


OUTSIDE: dict[str, Callable[[Loopx, str], object]] = {
    "a registry edit": lambda lab, todo: lab.ok("pool", "set", "gpu", "--capacity", "1"),
    "claim-next": lambda lab, todo: claim_next(lab),
    "a lease": lease,
    "a run": lambda lab, todo: lab.ok("refresh-state", "--agent-id", "ann", "--todo-id", todo, *RUN),
}


@pytest.mark.parametrize("name", OUTSIDE)
def test_what_lives_outside_the_graph_is_refused_with_what_to_do_instead(lab: Loopx, name: str) -> None:
    OUTSIDE[name](lab, add(lab, "one"))
    answer = lab.refused("undo", "--operation", operation(lab), code="undo_impossible", exit_code=3)
    assert answer.error["hint"].startswith("Instead: ")


def test_time_is_not_undone(lab: Loopx, clock: FakeClock) -> None:
    todo = add(lab, "one")
    lease(lab, todo, "ann", "--ttl", "1m")
    clock.advance(2 * MINUTE)
    add(lab, "two")
    (event,) = lab.ok("log", "--action", "leases_expired")["events"]
    lab.refused("undo", "--operation", event["operation_id"], code="undo_impossible")


def test_an_unknown_operation_is_not_found(lab: Loopx) -> None:
    lab.refused("undo", "--operation", "op-none", code="operation_not_found", exit_code=7)


def test_a_lease_that_a_completion_ended_does_not_come_back(lab: Loopx) -> None:
    todo = add(lab, "one")
    claim = claim_next(lab)["claim"]
    finish(lab, todo, "ann", "--claim-token", claim["claim_token"])
    undo(lab)
    reopened = show(lab, todo)
    assert (reopened["status"], reopened["lease"], reopened["claimed_by"]) == ("open", None, None)
    again = claim_next(lab, "bob")["claim"]
    assert again["lease"]["version"] > claim["lease"]["version"]
    late = ("--claim-token", claim["claim_token"], "--claimed-by", "ann", "--evidence", "late", "--no-follow-up")
    lab.refused("todo", "complete", todo, *late)


def test_an_agent_undoes_only_what_it_did(lab: Loopx) -> None:
    todo = add(lab, "one")
    lab.ok("todo", "update", todo, "--priority", "P0", "--agent-id", "ann")
    last = operation(lab)
    lab.refused("undo", "--operation", last, "--agent-id", "bob", code="action_not_delegated")
    lab.ok("undo", "--operation", last, "--agent-id", "ann")


def test_an_agent_gets_round_no_decision_by_undoing(lab: Loopx) -> None:
    todo = add(lab, "one")
    lab.ok("todo", "update", todo, "--required-decision-scope", API, "--agent-id", "ann")
    lab.refused("undo", "--operation", operation(lab), "--agent-id", "ann", code="user_decision_required")
    add_gate(lab, API, "--blocks-agent", "bob", "--agent-id", "ann")
    lab.refused("undo", "--operation", operation(lab), "--agent-id", "ann", code="user_decision_required")


def test_an_answer_is_taken_back_with_what_it_consumed(lab: Loopx) -> None:
    todo = add(lab, "one", "--required-decision-scope", API)
    gate = add_gate(lab, API, "--global-gate")
    before = state(lab)
    lab.ok("gate", "answer", gate, "--decision", "approve")
    assert show(lab, todo)["required_decision_scopes"] == []
    undo(lab)
    assert state(lab) == before
    assert lab.ok("gate", "list")["total"] == 1


def test_a_poll_is_taken_back(lab: Loopx, clock: FakeClock) -> None:
    watch = add_monitor(lab, "--poll-every", "1m")
    clock.advance(2 * MINUTE)
    before = state(lab)
    lab.ok("monitor", "poll", watch, "--result", "no_change", "--evidence", "same", "--agent-id", "ann")
    undo(lab)
    assert state(lab) == before


def test_a_dry_run_and_a_retry(lab: Loopx) -> None:
    todo = add(lab, "one")
    lab.ok("todo", "update", todo, "--priority", "P0")
    last = operation(lab)
    before = state(lab)
    assert lab.ok("undo", "--operation", last, "--dry-run")["dry_run"] is True
    assert state(lab) == before
    first = lab.ok("undo", "--operation", last, "--operation-id", "op-u")
    again = lab.ok("undo", "--operation", last, "--operation-id", "op-u")
    assert again == {**first, "receipt": {**first["receipt"], "replayed": True}}


# --- replay --------------------------------------------------------------------------------


def test_every_past_state_comes_back_as_it_was(graph: tuple[Loopx, str, str]) -> None:
    lab, one, two = graph
    past = {}
    for name in ("update", "claim", "complete"):
        CHANGES[name](lab, one, two)
        past[lab.ok("log")["total"]] = lab.ok("todo", "list", "--full")["todos"]
    for sequence, todos in past.items():
        document = lab.ok("replay", "--at", str(sequence), "--full")
        assert (document["at_sequence"], document["todos"]) == (sequence, todos)


def test_a_time_means_the_last_event_until_then(lab: Loopx, clock: FakeClock) -> None:
    add(lab, "one")
    clock.advance(MINUTE)
    add(lab, "two")
    assert lab.ok("replay", "--at", "2026-01-01T00:00:59Z")["total"] == 1
    assert lab.ok("replay", "--at", "2026-01-01T00:01:00Z")["total"] == 2
    before = lab.ok("replay", "--at", "2025-12-31T23:59:59Z")
    assert (before["at_sequence"], before["at"], before["todos"]) == (0, None, [])


def test_a_replay_is_bounded_and_goes_on_by_its_cursor(lab: Loopx) -> None:
    ids = [add(lab, f"number {number}") for number in range(5)]
    first = lab.ok("replay", "--at", "6", "--limit", "3")
    assert (len(first["todos"]), first["total"], first["truncated"]) == (3, 5, True)
    rest = lab.ok("replay", "--at", "6", "--limit", "3", "--cursor", first["next_cursor"])
    assert [todo["todo_id"] for todo in first["todos"] + rest["todos"]] == ids


@pytest.mark.parametrize("at", ["99", "99999999999999999999999", "yesterday", "٣"])
def test_what_is_no_place_in_the_history_is_refused(lab: Loopx, at: str) -> None:
    lab.refused("replay", "--at", at, exit_code=2)
