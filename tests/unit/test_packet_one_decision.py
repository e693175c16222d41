"""One packet, one opinion: no field orders what the mode forbids, nothing held is offered anywhere.

The facts come from the oracle, the claims are about the packet as a harness reads it.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopx.contracts.packet import packet_document
from loopx.core.decision.compile import compile_decision
from loopx.core.decision.explain import explain, why
from loopx.core.decision.snapshot import Snapshot
from tests.unit.decision_random import random_world
from tests.unit.decision_world import CLAIM_TOKEN, World, snapshot_of
from tests.unit.oracle import Opinion, opinion

RUNS = {
    "bounded_delivery", "monitor_poll", "control_plane_self_repair", "capability_repair", "workspace_repair", "replan",
}  # fmt: skip
# Verbs that claim, lease, start, complete or poll a todo.
TAKES = re.compile(r"loopx (todo (claim|claim-next|complete)|task-lease|monitor poll|worker|refresh-state)\b")
TODO_ID = re.compile(r"todo_\d{10}")
# What taking the todo up mends, where it is all that is in the way.
MENDED_BY_TAKING = ["blocker_recovered", "monitor_expired", "monitor_no_change_limit"]
PERSONS = ("loopx gate answer", "loopx gate revoke", "loopx agent register", "loopx goal resume")


def commands_of(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if value.startswith("loopx "):
            yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from commands_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from commands_of(inner)


def assert_one_opinion(world: World) -> None:
    snapshot, facts = snapshot_of(world), opinion(world)
    packet = packet_document(compile_decision(snapshot, world.caller, world.now))
    mode = packet["interaction_contract"]["mode"]
    assert_channels_follow_the_mode(packet, mode)
    assert_nothing_held_is_offered(packet, facts, world)
    assert_counts_agree(packet, facts)
    assert_repair_is_all_or_nothing(packet, mode)
    assert_gates_of_place_and_capability_follow(packet, mode)
    assert_candidates_are_of_one_class(packet, world)
    assert CLAIM_TOKEN not in json.dumps(packet)


def assert_channels_follow_the_mode(packet: dict[str, Any], mode: str) -> None:
    contract = packet["interaction_contract"]
    agent, cli, user = contract["agent_channel"], contract["cli_channel"], contract["user_channel"]
    delivers = mode == "bounded_delivery"
    assert packet["should_run"] is agent["must_attempt"] is (mode in RUNS)
    assert agent["quiet_noop_allowed"] is not packet["should_run"]
    assert agent["delivery_allowed"] is cli["spend_after_validation"] is delivers
    assert cli["spend_allowed_now"] is False
    assert (packet["selected_todo"] is not None) is (mode in ("bounded_delivery", "monitor_poll"))
    assert bool(cli["next_cli_actions"]) is packet["should_run"]
    assert ("delivery_workspace_causality" in cli) <= delivers
    assert packet["safe_bypass_allowed"] <= delivers
    assert packet["safe_bypass_allowed"] is bool(packet["bypass_boundary"])
    assert user["open_count"] >= len(user["todos"])
    assert (packet["scheduler_hint"]["cadence"] == "run_now") is packet["should_run"]


def assert_nothing_held_is_offered(packet: dict[str, Any], facts: Opinion, world: World) -> None:
    persons = {value.todo_id for value in world.todos if value.role == "user"}
    contract = packet["interaction_contract"]
    asked = {row["answer_command"] for row in contract["user_channel"]["todos"]}
    for command in commands_of(packet):
        if TAKES.match(command) and command not in asked:
            for todo_id in TODO_ID.findall(command):
                complaints = facts.complaints.get(todo_id, [])
                assert not complaints or (len(complaints) == 1 and complaints[0] in MENDED_BY_TAKING), command
                assert todo_id not in persons, command
    for command in contract["cli_channel"]["next_cli_actions"]:
        assert not command.startswith(PERSONS), command
    selected = packet["selected_todo"]
    if selected is not None:
        assert facts.complaints[selected["todo_id"]] == []
    for row in contract["agent_channel"]["blocking"]:
        assert facts.complaints[row["todo_id"]][0] == row["reason_code"]
    for row in packet["bypass_boundary"]:
        assert {"gate_open", "peer_gate_open"} & set(facts.complaints[row["todo_id"]])


def assert_counts_agree(packet: dict[str, Any], facts: Opinion) -> None:
    counts = packet["frontier"]
    free = [todo_id for todo_id, complaints in facts.complaints.items() if not complaints]
    assert counts["runnable"] == facts.runnable
    assert counts["runnable"] + counts["monitors_due"] == len(free)
    agent_todos = ("runnable", "blocked", "monitors_due", "monitors_waiting", "deferred")
    assert sum(counts[name] for name in agent_todos) == len(facts.complaints)
    assert packet["interaction_contract"]["agent_channel"]["blocking_total"] <= len(facts.complaints) - len(free)


def assert_repair_is_all_or_nothing(packet: dict[str, Any], mode: str) -> None:
    repair = packet["repair"]
    assert (repair is not None) is (mode == "control_plane_self_repair")
    if repair is not None:
        assert repair["errors"]
        assert repair["next_commands"]
        assert repair["errors_total"] >= len(repair["errors"])


def assert_gates_of_place_and_capability_follow(packet: dict[str, Any], mode: str) -> None:
    assert (packet["agent_workspace_guard"] is not None) is (mode == "workspace_repair")
    gate = packet["capability_gate"]
    if gate is None:
        assert mode not in ("bounded_delivery", "monitor_poll", "capability_repair", "owner_authorization")
        return
    actions = {
        "bounded_delivery": "run",
        "monitor_poll": "run",
        "capability_repair": "repair_capability_bridge",
        "owner_authorization": "request_owner_authorization",
    }
    assert gate["action"] == actions[mode]
    assert gate["blocks_delivery"] is (gate["runnable_count"] == 0) is (gate["action"] != "run")
    ids = [row["todo_id"] for row in gate["runnable_candidates"]]
    selected = packet["selected_todo"]
    assert (selected is not None and selected["todo_id"] in ids) or not ids
    for row in gate["blocked_candidates"]:
        kinds = {"prod_token": "authority"}
        assert {kinds.get(name, "tool") for name in row["missing"]} == {row["missing_kind"]}


def assert_candidates_are_of_one_class(packet: dict[str, Any], world: World) -> None:
    """Where a poll is due first, no delivery is offered beside it, and the reverse."""
    gate, selected = packet["capability_gate"], packet["selected_todo"]
    if gate is not None and selected is not None:
        classes = {value.todo_id: value.task_class for value in world.todos}
        assert {classes[row["todo_id"]] for row in gate["runnable_candidates"]} == {selected["task_class"]}


@pytest.mark.parametrize("seed", range(4))
def test_no_drawn_packet_has_two_opinions(seed: int) -> None:
    chance = Random(100 + seed)
    for _ in range(1_000):
        assert_one_opinion(random_world(chance.choice))


@settings(max_examples=200)
@given(st.data())
def test_no_packet_that_shrinks_has_two_opinions(data: st.DataObject) -> None:
    assert_one_opinion(random_world(lambda options: data.draw(st.sampled_from(options))))


def shuffled(snapshot: Snapshot, chance: Random) -> Snapshot:
    def mixed(values: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(chance.sample(values, len(values)))

    return snapshot._replace(
        cohorts=mixed(snapshot.cohorts), gates=mixed(snapshot.gates), user_todos=mixed(snapshot.user_todos)
    )


def test_the_answer_does_not_depend_on_the_order_of_reading() -> None:
    chance = Random(7)
    for _ in range(1_000):
        world = random_world(chance.choice)
        snapshot = snapshot_of(world)
        decision = compile_decision(snapshot, world.caller, world.now)
        assert compile_decision(shuffled(snapshot, chance), world.caller, world.now) == decision


def test_every_todo_that_is_not_runnable_has_a_reason_and_a_command_that_quotes_well() -> None:
    chance = Random(8)
    for _ in range(1_000):
        world = random_world(chance.choice)
        snapshot, facts = snapshot_of(world), opinion(world)
        rows = explain(snapshot, world.caller, world.now)
        told = {row.todo_id for row in rows}
        seen = {member.todo_id for cohort in snapshot.cohorts for member in cohort.members}
        assert told == {todo_id for todo_id in seen if facts.complaints[todo_id]}
        for row in rows:
            assert shlex.split(row.next_command)[0] == "loopx"


def test_why_says_the_same_as_the_decision() -> None:
    chance = Random(9)
    for _ in range(500):
        world = random_world(chance.choice)
        snapshot, facts = snapshot_of(world), opinion(world)
        for cohort in snapshot.cohorts:
            results = why(snapshot, world.caller, world.now, cohort._replace(members=cohort.members[:1], count=1))
            failed = [result.reason_code.value for result in results if result.reason_code is not None]
            assert failed == facts.complaints[cohort.head.todo_id]
            assert all(result.passed is (result.next_command is None) for result in results)
            assert len(results) == 13
