"""Peers: `--agent-id` is whom the command is about; who acts comes from the environment or is a person."""

from __future__ import annotations

import pytest

from tests.support.cli import Loopx

AS_ANN = {"LOOPX_AGENT_ID": "ann"}


@pytest.fixture
def lab(inside: Loopx) -> Loopx:
    inside.ok("init", "--goal-id", "lab", "--objective", "Find out", "--agent", "ann", "--agent", "bob")
    return inside


def listed(lab: Loopx) -> dict[str, dict[str, object]]:
    return {row["agent_id"]: row for row in lab.ok("agent", "list")["agents"]}


def add(lab: Loopx, text: str, *more: str) -> str:
    return str(lab.ok("todo", "add", "--text", text, *more)["todo"]["todo_id"])


def test_a_peer_is_registered_with_what_it_can_do(lab: Loopx) -> None:
    document = lab.ok("agent", "register", "--agent-id", "cy", "--capability", "shell", "--capability", "shell")
    assert document["agent"] == {"agent_id": "cy", "capabilities": ["shell"], "retired": False}
    assert document["receipt"]["event"] == "agent_registered"
    assert list(listed(lab)) == ["ann", "bob", "cy"]


def test_registering_again_adds_capabilities(lab: Loopx) -> None:
    lab.ok("agent", "register", "--agent-id", "ann", "--capability", "shell")
    document = lab.ok("agent", "register", "--agent-id", "ann", "--capability", "browser", "--capability", "shell")
    assert document["agent"]["capabilities"] == ["shell", "browser"]


def test_registering_what_is_there_tells_that_it_is_there(lab: Loopx) -> None:
    lab.refused("agent", "register", "--agent-id", "ann", code="already_done", exit_code=4)


def test_a_name_that_differs_in_case_only_is_not_a_second_peer(lab: Loopx) -> None:
    lab.refused("agent", "register", "--agent-id", "ANN", code="name_taken", exit_code=4)


def test_the_subject_is_never_read_from_the_environment(lab: Loopx) -> None:
    lab.refused("agent", "register", env={"LOOPX_AGENT_ID": "ann"}, code="usage", exit_code=2)
    lab.refused("agent", "retire", env={"LOOPX_AGENT_ID": "ann"}, code="usage")


def test_the_subject_may_stand_before_the_subcommand(lab: Loopx) -> None:
    document = lab.ok("--agent-id", "cy", "agent", "register")
    assert document["agent"]["agent_id"] == "cy"
    (event,) = lab.ok("log", "--action", "agent_registered")["events"]
    assert event["actor"] == "user"
    lab.refused("--agent-id", "dan", "agent", "register", "--agent-id", "eve", code="usage")


def test_the_actor_is_the_agent_of_the_environment(lab: Loopx) -> None:
    lab.ok("agent", "register", "--agent-id", "cy", env=AS_ANN)
    (event,) = lab.ok("log", "--action", "agent_registered")["events"]
    assert (event["actor_kind"], event["actor"]) == ("agent", "ann")


def test_an_agent_that_is_not_registered_registers_nobody(lab: Loopx) -> None:
    stranger = {"LOOPX_AGENT_ID": "zoe"}
    lab.refused("agent", "register", "--agent-id", "zoe", env=stranger, code="agent_not_registered", exit_code=7)
    assert "zoe" not in listed(lab)


@pytest.mark.parametrize("name", ["production_credential", "github-token", "prod"])
def test_an_agent_gives_no_authority_like_capability(lab: Loopx, name: str) -> None:
    for subject in ("ann", "cy"):
        argv = ("agent", "register", "--agent-id", subject, "--capability", "shell", "--capability", name)
        lab.refused(*argv, env=AS_ANN, code="user_decision_required", exit_code=3)
    assert listed(lab)["ann"]["capabilities"] == []
    lab.ok("agent", "register", "--agent-id", "ann", "--capability", name)


def test_what_a_person_gave_does_not_keep_an_agent_from_adding_a_tool(lab: Loopx) -> None:
    lab.ok("agent", "register", "--agent-id", "ann", "--capability", "github-token")
    argv = ("agent", "register", "--agent-id", "ann", "--capability", "github-token", "--capability", "shell")
    assert lab.ok(*argv, env=AS_ANN)["agent"]["capabilities"] == ["github-token", "shell"]


def test_retiring_tells_what_it_leaves_behind(lab: Loopx) -> None:
    lab.ok("todo", "claim", add(lab, "Claimed"), "--claimed-by", "ann")
    add(lab, "Bound", "--bound-agent", "ann")
    document = lab.ok("agent", "retire", "--agent-id", "ann")
    assert (document["claimed_todos"], document["bound_todos"]) == (1, 1)
    assert document["agent"]["retired"] is True
    assert any("ann" in warning for warning in document["warnings"])


def test_the_claims_of_a_retired_agent_are_stale_at_once(lab: Loopx) -> None:
    todo = add(lab, "Work")
    lab.ok("todo", "claim", todo, "--claimed-by", "ann")
    lab.refused("todo", "claim", todo, "--claimed-by", "bob", code="already_claimed")
    lab.ok("agent", "retire", "--agent-id", "ann")
    assert lab.ok("todo", "show", todo)["todo"]["claim_stale"] is True
    lab.ok("todo", "claim", todo, "--claimed-by", "bob")
    lab.refused("todo", "claim", todo, "--claimed-by", "ann", code="agent_not_registered")


def test_an_agent_retires_itself_and_no_peer(lab: Loopx) -> None:
    lab.refused("agent", "retire", "--agent-id", "bob", env=AS_ANN, code="user_decision_required")
    lab.ok("agent", "retire", "--agent-id", "ann", env=AS_ANN)
    assert listed(lab)["ann"]["retired"] is True


def test_a_retired_agent_is_taken_back_by_registering_it(lab: Loopx) -> None:
    lab.ok("agent", "register", "--agent-id", "ann", "--capability", "shell")
    lab.ok("agent", "retire", "--agent-id", "ann")
    lab.refused("agent", "retire", "--agent-id", "ann", code="already_done", exit_code=4)
    agent = lab.ok("agent", "register", "--agent-id", "ann", "--capability", "browser")["agent"]
    assert agent == {"agent_id": "ann", "capabilities": ["shell", "browser"], "retired": False}


def test_an_unknown_agent_is_refused_with_the_near_match(lab: Loopx) -> None:
    refusal = lab.refused("agent", "retire", "--agent-id", "Bob", code="agent_not_registered", exit_code=7)
    assert "'bob'" in refusal.error["message"]


def test_a_teammate_changes_no_peers(lab: Loopx) -> None:
    teammate = {"LOOPX_ROLE": "teammate"}
    for verb in ("register", "retire"):
        lab.refused("agent", verb, "--agent-id", "bob", env=teammate, code="role_not_allowed")


def test_the_list_is_bounded_and_goes_on(lab: Loopx) -> None:
    first = lab.ok("agent", "list", "--limit", "1")
    assert (first["total"], first["truncated"]) == (2, True)
    second = lab.ok("agent", "list", "--limit", "1", "--cursor", first["next_cursor"])
    assert [row["agent_id"] for row in (*first["agents"], *second["agents"])] == ["ann", "bob"]
    assert (second["truncated"], second["next_cursor"]) == (False, None)
