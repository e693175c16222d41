"""Handoffs: a packet from recorded state, and a state that only the receiver's later work moves (W11)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from loopx.core.instant import HOUR, MINUTE
from loopx.render import render
from tests.support.cli import Loopx
from tests.support.lab import GOAL, add, add_gate, ask, finish, lease, show, start_lab
from tests.support.project import foreign_hand, make_state

if TYPE_CHECKING:
    from tests.support.fakes import FakeClock


@pytest.fixture
def lab(inside: Loopx) -> Loopx:
    return start_lab(inside)


def handoff(lab: Loopx, *more: str) -> dict[str, Any]:
    """The packet for bob."""
    shown = lab.ok("handoff", "show", "--goal-id", GOAL, "--to", "bob", *more)["handoff"]
    assert isinstance(shown, dict)
    return shown


def hand_over(lab: Loopx, *more: str) -> dict[str, Any]:
    """ann hands over to bob."""
    return lab.ok("handoff", "create", "--goal-id", GOAL, "--agent-id", "ann", "--to", "bob", *more)


def write_back(lab: Loopx, todo_id: str, agent: str, kind: str, *more: str) -> None:
    argv = ("--agent-id", agent, "--todo-id", todo_id, "--run-kind", kind, "--evidence", "seen")
    lab.ok("refresh-state", *argv, *more)


def ready(lab: Loopx) -> str:
    """Work that bob can do, and a stop condition; its id."""
    todo = add(lab, "Parse the corpus")
    write_back(lab, todo, "ann", "status", "--next-action", "start with the headers", "--stop-condition", "all parse")
    return todo


# --- states ------------------------------------------------------------------------------------


def test_a_complete_surface_without_a_later_run_waits_for_it(lab: Loopx) -> None:
    ready(lab)
    assert handoff(lab)["state"] == "ready_waiting_for_run"
    created = hand_over(lab)
    assert created["warnings"] == []
    assert all(created["handoff"]["checks"].values())
    for _ in range(3):
        assert handoff(lab)["state"] == "ready_waiting_for_run", "reading it again is no progress"


def test_a_status_neutral_run_changes_nothing(lab: Loopx) -> None:
    todo = ready(lab)
    hand_over(lab)
    write_back(lab, todo, "bob", "status")
    assert handoff(lab)["state"] == "ready_waiting_for_run"


def test_a_work_run_of_the_receiver_is_seen(lab: Loopx) -> None:
    todo = ready(lab)
    created = hand_over(lab)
    write_back(lab, todo, "bob", "work")
    shown = handoff(lab)
    assert shown["state"] == "post_handoff_run_seen"
    assert shown["handoff_id"] == created["handoff"]["handoff_id"]
    assert lab.ok("handoff", "list")["handoffs"][0]["post_handoff_run_seen"] is True


def test_only_the_receivers_work_after_the_handoff_counts(lab: Loopx) -> None:
    todo, other = ready(lab), add(lab, "another thing")
    write_back(lab, todo, "bob", "work")
    assert handoff(lab)["state"] == "ready_waiting_for_run", "no handoff, nothing to go on from"
    hand_over(lab)
    assert handoff(lab)["state"] == "ready_waiting_for_run", "that work was before"
    write_back(lab, other, "ann", "work")
    assert handoff(lab)["state"] == "ready_waiting_for_run", "that was the sender"
    write_back(lab, other, "bob", "work")
    assert handoff(lab)["state"] == "post_handoff_run_seen"
    hand_over(lab)
    assert handoff(lab)["state"] == "ready_waiting_for_run", "the newest handoff counts"


@pytest.mark.parametrize("step_back", [False, True])
def test_what_came_after_is_told_without_a_clock(lab: Loopx, clock: FakeClock, step_back: bool) -> None:
    todo = ready(lab)
    hand_over(lab)
    if step_back:
        clock.advance(-HOUR)
    write_back(lab, todo, "bob", "work")
    assert handoff(lab)["state"] == "post_handoff_run_seen"


# --- checks ------------------------------------------------------------------------------------


def failing(lab: Loopx) -> set[str]:
    shown = handoff(lab)
    assert shown["state"] == "not_ready"
    return {name for name, holds in shown["checks"].items() if not holds}


def test_an_empty_goal_says_nothing_of_when_to_stop(lab: Loopx) -> None:
    assert "handoff_has_stop_condition" in failing(lab)


def test_a_fresh_clone_is_read_and_has_no_history_to_go_on_from(inside: Loopx) -> None:
    make_state(inside.root)
    shown = inside.ok("handoff", "show", "--to", "bob")["handoff"]
    assert (shown["state"], shown["checks"]["project_asset_backed"]) == ("not_ready", False)
    assert inside.ok("handoff", "prompt", "--to", "bob")["bytes"] < 4_096
    assert inside.ok("handoff", "qualify", "--to", "bob", "--rounds", "1")["distance"] == 0.0
    assert [path.name for path in (inside.root / ".loopx").iterdir()] == ["registry.yaml"]


def test_a_stop_condition_may_come_from_the_goals_criteria(inside: Loopx) -> None:
    argv = ("--agent", "ann", "--agent", "bob", "--acceptance", "It parses")
    inside.ok("init", "--goal-id", GOAL, "--objective", "x", *argv)
    add(inside, "Parse")
    stop = handoff(inside)["stop_condition"]
    assert (stop["source"], stop["criteria"]) == ("acceptance", ["A1"])
    assert handoff(inside)["state"] == "ready_waiting_for_run"


def test_who_waits_for_a_person_is_not_awaited(lab: Loopx) -> None:
    todo = ready(lab)
    lab.ok("todo", "update", todo, "--required-decision-scope", "direction:action:x")
    gate = add_gate(lab, "direction:action:x", "--global-gate", "--unblocks-todo-id", todo)
    assert "codex_ready" in failing(lab)
    assert handoff(lab)["gates"]["open"][0]["todo_id"] == gate
    lab.ok("gate", "answer", gate, "--decision", "approve")
    assert handoff(lab)["state"] == "ready_waiting_for_run"


def test_an_exhausted_quota_is_not_eligible(lab: Loopx) -> None:
    ready(lab)
    lab.ok("goal", "update", "--slots", "0")
    assert "codex_ready" in failing(lab)


def test_a_finished_goal_has_no_next_action(lab: Loopx) -> None:
    finish(lab, ready(lab))
    assert {"handoff_has_next_action", "codex_ready"} <= failing(lab)
    assert handoff(lab)["next_action"] is None


def test_a_handoff_that_is_not_ready_is_recorded_and_says_what_lacks(lab: Loopx) -> None:
    created = hand_over(lab)
    assert created["handoff"]["state"] == "not_ready"
    assert "handoff_has_stop_condition" in created["warnings"][0]
    assert lab.ok("handoff", "list")["total"] == 1


def test_the_next_action_and_the_frontier_are_those_of_should_run(lab: Loopx) -> None:
    ready(lab)
    add(lab, "[P0] more urgent")
    held = add(lab, "held", "--required-capability", "gpu")
    packet, shown = ask(lab, "bob"), handoff(lab)
    assert shown["next_action"]["todo_id"] == packet["selected_todo"]["todo_id"]
    assert shown["next_action"]["mode"] == packet["interaction_contract"]["mode"]
    assert shown["next_action"]["commands"] == packet["interaction_contract"]["cli_channel"]["next_cli_actions"]
    assert shown["next_action"]["stated"] == "start with the headers"
    assert shown["frontier"]["runnable"][0]["todo_id"] == packet["selected_todo"]["todo_id"]
    assert [row["todo_id"] for row in shown["frontier"]["blocked"]] == [held]
    assert shown["state_sequence"] == packet["state_sequence"]


# --- it starts nothing -------------------------------------------------------------------------


def test_a_handoff_claims_leases_and_moves_nothing(lab: Loopx) -> None:
    todo = ready(lab)
    before, packet = show(lab, todo), ask(lab, "bob")
    hand_over(lab)
    assert show(lab, todo) == before
    after = ask(lab, "bob")
    assert {**after, "state_sequence": 0} == {**packet, "state_sequence": 0}


def test_reading_a_handoff_writes_nothing(lab: Loopx) -> None:
    ready(lab)
    database = lab.root / ".loopx" / "loopx.db"
    before = (database.read_bytes(), lab.ok("log")["events"])
    for words in (("show",), ("list",), ("prompt",)):
        lab.ok("handoff", *words)
    assert (database.read_bytes(), lab.ok("log")["events"]) == before


def test_a_lease_stays_with_its_holder(lab: Loopx) -> None:
    todo = ready(lab)
    lease(lab, todo, "ann")
    created = hand_over(lab)
    (held,) = created["handoff"]["claims"]["held"]
    assert (held["todo_id"], held["agent_id"], held["held"]) == (todo, "ann", "leased")
    assert "claim_token" not in str(created["handoff"])
    assert "codex_ready" not in {name for name, holds in created["handoff"]["checks"].items() if holds}


# --- who ---------------------------------------------------------------------------------------


def test_whoever_asks_is_the_receiver_unless_one_is_named(lab: Loopx) -> None:
    assert lab.ok("handoff", "show", "--agent-id", "ann")["handoff"]["to"] == "ann"
    both = lab.ok("handoff", "show", "--agent-id", "ann", "--to", "bob")["handoff"]
    assert (both["from"], both["to"]) == ("ann", "bob")
    assert lab.ok("handoff", "show")["handoff"]["to"] in ("ann", "bob"), "a suggested peer"
    hand_over(lab)
    assert lab.ok("handoff", "show")["handoff"]["to"] == "bob", "the newest handoff's receiver"
    assert lab.ok("handoff", "show")["handoff"]["from"] == "ann"


def test_the_receiver_need_not_be_named_where_only_one_can_go_on(inside: Loopx) -> None:
    start_lab(inside, "ann", "bob")
    assert inside.ok("handoff", "create", "--agent-id", "ann")["handoff"]["to"] == "bob"
    inside.refused("handoff", "create", code="usage")
    inside.ok("agent", "register", "--agent-id", "cy")
    inside.refused("handoff", "create", "--agent-id", "ann", code="usage")


def test_a_person_and_a_single_agent_may_hand_over_to_the_next_session(inside: Loopx) -> None:
    start_lab(inside, "ann")
    by_person = inside.ok("handoff", "create")["handoff"]
    assert (by_person["from"], by_person["to"]) == (None, "ann")
    assert inside.ok("handoff", "create", "--agent-id", "ann")["handoff"]["to"] == "ann"


@pytest.mark.parametrize("verb", ["show", "create", "qualify", "prompt"])
def test_an_unknown_or_retired_receiver_is_refused(lab: Loopx, verb: str) -> None:
    lab.refused("handoff", verb, "--to", "zoe", code="agent_not_registered", exit_code=7)
    lab.ok("agent", "retire", "--agent-id", "bob")
    lab.refused("handoff", verb, "--to", "bob", code="agent_not_registered", exit_code=7)


def test_a_goal_without_agents_cannot_be_handed_over(inside: Loopx) -> None:
    inside.ok("init", "--goal-id", GOAL, "--objective", "x")
    inside.refused("handoff", "show", code="agent_not_registered")
    inside.refused("handoff", "create", code="usage")


# --- recorded ----------------------------------------------------------------------------------


def test_a_handoff_is_an_event_with_both_ends_and_its_digest(lab: Loopx, clock: FakeClock) -> None:
    ready(lab)
    clock.advance(MINUTE)
    created = hand_over(lab, "--reason", "my context is full")
    event = lab.ok("log", "--limit", "500")["events"][-1]
    assert (event["action"], event["actor"], event["reason"]) == ("handoff_created", "ann", "my context is full")
    assert event["receipt"] == {"to": "bob", "digest": created["handoff"]["digest"]}
    (row,) = lab.ok("handoff", "list")["handoffs"]
    assert row["sequence"] == event["sequence"] == created["receipt"]["sequence"]
    assert row["digest"] == created["handoff"]["digest"]
    assert row["created_at"] == "2026-01-01T00:01:00Z"


def test_a_repeated_operation_answers_the_same(lab: Loopx) -> None:
    ready(lab)
    first = hand_over(lab, "--operation-id", "op")
    again = hand_over(lab, "--operation-id", "op")
    assert again["receipt"]["replayed"] is True
    assert again["handoff"] == first["handoff"]
    assert lab.ok("handoff", "list")["total"] == 1


def test_the_list_is_paged_from_the_newest_on(lab: Loopx) -> None:
    ids = [hand_over(lab)["handoff"]["handoff_id"] for _ in range(5)]
    page = lab.ok("handoff", "list", "--limit", "3")
    rest = lab.ok("handoff", "list", "--limit", "3", "--cursor", page["next_cursor"])
    found = [row["handoff_id"] for row in (*page["handoffs"], *rest["handoffs"])]
    assert found == ids[::-1]
    assert (page["truncated"], rest["truncated"], rest["next_cursor"]) == (True, False, None)


def test_handoffs_are_rebuilt_from_the_events(lab: Loopx) -> None:
    hand_over(lab)
    assert lab.ok("doctor")["healthy"] is True
    with foreign_hand(lab.root) as db:
        db.execute("UPDATE handoffs SET to_agent = 'ann'")
    assert lab.ok("doctor")["findings"] != []


def test_a_dry_run_records_nothing(lab: Loopx) -> None:
    assert hand_over(lab, "--dry-run")["dry_run"] is True
    assert lab.ok("handoff", "list")["handoffs"] == []


def test_a_handoff_is_not_undone(lab: Loopx) -> None:
    operation = hand_over(lab)["receipt"]["operation_id"]
    lab.refused("undo", "--operation", operation, code="undo_impossible")


# --- lineage and validation surface --------------------------------------------------------------


def test_the_packet_and_todo_show_tell_where_work_comes_from(lab: Loopx) -> None:
    first = add(lab, "hypothesis")
    done = lab.ok(
        "todo", "complete", first, "--claimed-by", "ann", "--evidence", "e", "--next-agent-todo", "experiment"
    )
    (second,) = done["successors"]
    replaced = lab.ok("todo", "supersede", second, "--reason", "wrong", "--next-agent-todo", "other experiment")
    (third,) = replaced["successors"]
    (row,) = handoff(lab)["lineage"]
    assert row["todo_id"] == third
    assert (row["predecessor"], row["ancestors"], row["supersedes"]) == (second, [second, first], [second])
    assert lab.ok("todo", "show", third)["lineage"] == row
    assert lab.ok("todo", "show", second)["lineage"]["replaced_by"] == [third]
    kinds = {(edge["from"], edge["to"]): edge["kind"] for edge in lab.ok("todo", "graph")["edges"]}
    assert kinds == {(first, second): "followed_by", (second, third): "replaced_by"}
    assert lab.ok("todo", "show", add(lab, "alone"))["lineage"] is None


def test_a_long_chain_is_cut_and_says_so(lab: Loopx) -> None:
    at = add(lab, "step 0")
    for number in range(1, 13):
        words = ("--evidence", "e", "--next-agent-todo", f"step {number}")
        (at,) = lab.ok("todo", "complete", at, "--claimed-by", "ann", *words)["successors"]
    lineage = lab.ok("todo", "show", at)["lineage"]
    assert (len(lineage["ancestors"]), lineage["ancestors_truncated"]) == (10, True)
    assert len(set(lineage["ancestors"])) == 10


def test_the_lineage_of_archived_work_stays(lab: Loopx, clock: FakeClock) -> None:
    first = add(lab, "hypothesis")
    words = ("--evidence", "e", "--next-agent-todo", "experiment")
    (second,) = lab.ok("todo", "complete", first, "--claimed-by", "ann", *words)["successors"]
    clock.advance(48 * HOUR)
    lab.ok("todo", "archive", "--older-than", "1h")
    assert handoff(lab)["lineage"][0]["predecessor"] == first
    assert second == handoff(lab)["lineage"][0]["todo_id"]


def test_the_validation_surface_says_what_counts_what_shows_it_and_what_is_missing(inside: Loopx) -> None:
    agents = ("--agent", "ann", "--agent", "bob")
    inside.ok("init", "--goal-id", GOAL, "--objective", "x", *agents, "--acceptance", "one", "--acceptance", "two")
    inside.ok("goal", "accept", "--criterion", "A1", "--evidence", "the report")
    todo = add(inside, "work", "--acceptance", "tests pass", "--validation-command", "make test")
    write_back(inside, todo, "ann", "work", "--validation", "make test")
    surface = handoff(inside)["validation_surface"]
    assert [(row["id"], row["met"], row["evidence"]) for row in surface["acceptance"]] == [
        ("A2", False, None),
        ("A1", True, "the report"),
    ]
    assert [gap["code"] for gap in surface["missing"]] == ["work_open", "acceptance_unmet"]
    assert surface["todos"] == [{"todo_id": todo, "acceptance": ["tests pass"], "validation_command": "make test"}]
    assert [(run["todo_id"], run["validation"]) for run in surface["runs"]] == [(todo, "make test")]


def test_a_closed_goal_is_handed_over_by_nobody_and_reopened_by_a_person(lab: Loopx) -> None:
    todo = add(lab, "work")
    lab.refused("goal", "close", code="closure_incomplete")
    finish(lab, todo)
    lab.ok("goal", "close")
    lab.refused("handoff", "create", "--to", "bob", code="goal_not_active")
    assert handoff(lab)["state"] == "not_ready"
    lab.ok("goal", "reopen")
    hand_over(lab)


def test_the_text_view_says_the_decision_and_what_lacks(lab: Loopx) -> None:
    todo = ready(lab)
    add_gate(lab, "direction:action:x", "--blocks-agent", "ann")
    lab.ok("todo", "claim", todo, "--claimed-by", "ann")
    text = render(lab.ok("handoff", "show", "--to", "bob"), painted=False)
    for words in ("objective", "stop when", "all parse", "Open questions (1)", "Who is on what (1)", "lacks"):
        assert words in text
    assert "handoff_" in render(hand_over(lab), painted=False)
    assert "1 handoff" in render(lab.ok("handoff", "list"), painted=False)
