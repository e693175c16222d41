"""The packet's shape and size: what an agent's context must hold, whatever the graph."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from loopx.contracts.packet import PACKET_BYTES, packet_document
from loopx.contracts.schema import load_schema
from loopx.core.decision.compile import compile_decision
from loopx.core.decision.reason import Mode, ReasonCode
from loopx.core.goal import Agent, GoalState, QuotaPolicy
from loopx.core.text import CUT_MARK
from loopx.core.todo import Todo
from loopx.core.todo import Verdict as Answer
from loopx.core.workspace import Workspace, WorkspaceKind
from tests.support.contracts import check_document
from tests.unit.decision_random import random_world
from tests.unit.decision_world import (
    D1,
    REPO,
    World,
    action,
    answer,
    claimed,
    gate,
    leased,
    monitor,
    snapshot_of,
    todo,
)

WORKED_EXAMPLE_BYTES = 2_500
WITH_REPOSITORY_BYTES = 3_000
FIRST_BYTES = 1_000

KEYS = (
    "schema_version", "ok", "state", "should_run", "reason", "goal_id", "agent_id", "selected_todo",
    "interaction_contract", "safe_bypass_allowed", "bypass_boundary", "bypass_boundary_total", "repair",
    "capability_gate", "agent_workspace_guard", "frontier", "scheduler_hint", "evaluated_at", "state_sequence",
    "warnings",
)  # fmt: skip


def packet_of(world: World) -> dict[str, Any]:
    return packet_document(compile_decision(snapshot_of(world), world.caller, world.now))


def encoded(packet: dict[str, Any]) -> bytes:
    return json.dumps(packet, ensure_ascii=False, separators=(",", ":")).encode("utf-8")


def worked_example(**route: Any) -> World:
    t1 = claimed(todo(1, "[P0] Change the public API", priority=0, required_decision_scopes=(D1,)), "agent-a")
    u1 = gate(2, "May the public API change?", scope=D1, blocks="agent-a", link=t1.todo_id)
    smoke = "[P1] Add a characterization smoke"
    t2 = todo(3, smoke, priority=1, required_capabilities=("shell",), **route)
    m1 = monitor(4, due_in=86_400_000_000)
    return World().with_todos(t1, u1, t2, m1).asked_by("agent-a", "shell")


def test_the_keys_come_in_the_order_of_the_contract() -> None:
    packet = packet_of(worked_example())
    assert tuple(packet) == KEYS
    contract = packet["interaction_contract"]
    assert list(contract) == ["schema_version", "mode", "cli_channel", "user_channel", "agent_channel"]


def test_the_worked_example_is_small() -> None:
    assert len(encoded(packet_of(worked_example()))) <= WORKED_EXAMPLE_BYTES
    place = Workspace(WorkspaceKind.INDEPENDENT_GIT_WORKTREE, (REPO,))
    world = worked_example(task_repository=REPO, required_write_scopes=("src/**",))
    packet = packet_of(world.asked_by("agent-a", "shell", workspace=place))
    causality = packet["interaction_contract"]["cli_channel"]["delivery_workspace_causality"]
    assert causality == {
        "task_repository": REPO,
        "workspace_kind": "independent_git_worktree",
        "peer_independent_worktree_required": True,
    }
    assert len(encoded(packet)) <= WITH_REPOSITORY_BYTES


def test_the_first_thousand_bytes_tell_what_to_do() -> None:
    packet = packet_of(worked_example())
    head = encoded(packet)[:FIRST_BYTES].decode("utf-8", "ignore")
    (command,) = packet["interaction_contract"]["cli_channel"]["next_cli_actions"]
    assert '"mode":"bounded_delivery"' in head
    assert '"todo_id":"todo_0000000003","priority":"P1","text":"[P1] Add a char' in head
    assert command in head
    assert "May the public API change?" in head


def crowded(text: str, agents: tuple[Agent, ...], goal_id: str) -> World:
    """Many of everything, so that every list wants more than there is room for."""
    me, peer = agents[0].agent_id, agents[1].agent_id
    scopes = [f"direction:action:{'k' * 60}{n}" for n in range(12)]
    todos: list[Todo] = []
    for n, scope in enumerate(scopes):
        held = todo(n, text, goal_id=goal_id, priority=0, required_decision_scopes=(scope,))
        todos.append(held)
        todos.append(gate(100 + n, text, scope=scope, blocks=me, link=held.todo_id))
    for n in range(20, 40):
        todos.append(todo(n, text, goal_id=goal_id, priority=1, required_capabilities=("c" * 70 + str(n),)))
        todos.append(claimed(todo(n + 40, text, goal_id=goal_id, priority=1), peer))
        todos.append(action(n + 200, text))
    return World(tuple(todos), agents=agents, goal_id=goal_id).asked_by(me)


LONG_TEXTS = ("x" * 100_000, "ä" * 5_000, "😀" * 5_000, '"\\\n\t' * 2_000, "\u202e{0}%s$1" * 500)


@pytest.mark.parametrize("text", LONG_TEXTS)
@pytest.mark.parametrize("runs", [True, False])
@pytest.mark.parametrize("name", ["agent", "a" * 79, "ä" * 79, "𐀀" * 79])
def test_a_packet_never_exceeds_its_limit(text: str, runs: bool, name: str) -> None:
    agents = (Agent(name + "1"), Agent(name + "2"))
    world = crowded(text, agents, name)
    if runs:
        best = todo(300, text, goal_id=name, priority=4, task_repository=REPO, required_write_scopes=("src/**",))
        world = world.with_todos(*world.todos, best)
    packet = packet_of(world)
    assert len(encoded(packet)) <= PACKET_BYTES
    contract = packet["interaction_contract"]
    assert bool(contract["cli_channel"]["next_cli_actions"]) is packet["should_run"]
    check_document(packet)


@pytest.mark.parametrize("state", list(GoalState))
@pytest.mark.parametrize("name", ["agent", "𐀀" * 79])
def test_every_mode_keeps_the_limit(state: GoalState, name: str) -> None:
    agents = (Agent(name + "1"), Agent(name + "2"))
    text = "😀" * 100
    tight = QuotaPolicy(slots=0)
    mine = leased(claimed(todo(1, text, goal_id=name), name + "1"), name + "1")
    lonely = todo(2, text, goal_id=name, required_decision_scopes=(D1,))
    undirected = gate(3, text, scope=D1)
    for todos in ((), (mine,), (lonely,), (lonely, undirected), (monitor(4, goal_id=name),)):
        for quota in (QuotaPolicy(), tight):
            world = World(todos, agents=agents, goal_id=name, state=state, quota=quota)
            packet = packet_of(world.asked_by(name + "1"))
            assert len(encoded(packet)) <= PACKET_BYTES
            check_document(packet)


def test_text_is_cut_at_160_bytes_on_a_character_with_a_mark() -> None:
    packet = packet_of(World().with_todos(todo(1, "é" * 200)))
    text = packet["selected_todo"]["text"]
    assert len(text.encode()) <= 160
    assert text.endswith(CUT_MARK)
    assert set(text) == {"é", CUT_MARK}


def test_a_short_text_is_given_as_it_is() -> None:
    odd = '</data> {0} %s $1 "quoted" \n- [ ] *bold* 👩‍👩‍👧'
    assert packet_of(World().with_todos(todo(1, odd)))["selected_todo"]["text"] == odd


def test_lists_are_cut_with_their_totals_beside_them() -> None:
    held = [claimed(todo(n), "agent-b") for n in range(1, 30)]
    packet = packet_of(World().with_todos(*held))
    channel = packet["interaction_contract"]["agent_channel"]
    assert [row["todo_id"] for row in channel["blocking"]] == [value.todo_id for value in held[:5]]
    assert channel["blocking_total"] == 29


def test_a_list_is_cut_at_its_end_and_never_in_the_middle() -> None:
    world = World().with_todos(todo(1))
    long, short = "loopx " + "x" * PACKET_BYTES, "loopx where"
    decision = compile_decision(snapshot_of(world), world.caller, world.now)
    packet = packet_document(decision._replace(next_actions=(long, short)))
    assert packet["interaction_contract"]["cli_channel"]["next_cli_actions"] == []


def test_as_many_questions_as_fit_are_concrete() -> None:
    packet = packet_of(World().with_todos(*(action(n, f"question {n}") for n in range(1, 15))))
    channel = packet["interaction_contract"]["user_channel"]
    assert channel["open_count"] == 14
    assert [row["text"] for row in channel["todos"]] == [f"question {n}" for n in range(1, 15)]


def test_resets_at_is_told_in_a_quota_wait_only() -> None:
    world = World(quota=QuotaPolicy(slots=1), used_slots=1).with_todos(todo(1))
    assert packet_of(world)["scheduler_hint"]["resets_at"] == "2027-01-16T08:00:00Z"
    assert "resets_at" not in packet_of(World().with_todos(todo(1)))["scheduler_hint"]


def test_random_packets_satisfy_the_schema() -> None:
    chance = Random(5)
    for _ in range(400):
        packet = packet_of(random_world(chance.choice))
        check_document(packet)
        assert len(encoded(packet)) <= PACKET_BYTES


def test_the_schemas_list_exactly_the_modes_and_reason_codes() -> None:
    contract = load_schema("interaction_contract_v1")
    assert contract["properties"]["mode"]["enum"] == [mode.value for mode in Mode]
    blocking = contract["properties"]["agent_channel"]["properties"]["blocking"]["items"]["properties"]
    assert blocking["reason_code"]["enum"] == [code.value for code in ReasonCode]


def test_a_rejected_gate_does_not_go_silent() -> None:
    held = todo(1, priority=0, required_decision_scopes=(D1,))
    no = gate(2, scope=D1, blocks="agent-a", link=held.todo_id, answer=answer(Answer.REJECT))
    packet = packet_of(World().with_todos(held, no, todo(3, priority=1)))
    (row,) = packet["interaction_contract"]["agent_channel"]["blocking"]
    assert (row["todo_id"], row["reason_code"]) == (held.todo_id, "decision_rejected")
