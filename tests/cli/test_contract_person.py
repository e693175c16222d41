"""What only a person may do, and who counts as whom (W2.2, W6.3, W6.6, W6.9, S2.3, S3.2): asked at every door."""

from __future__ import annotations

import contextlib
import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.support.cli import COMMAND, clean_environment

if TYPE_CHECKING:
    from tests.support.cli import Loopx

SCOPE = "direction:action:public_api"
AGENT = ("--agent-id", "agent-a")


@pytest.fixture
def project(inside: Loopx) -> Loopx:
    """A goal with two agents, asked inside this process."""
    inside.ok("init", "--goal-id", "g", "--objective", "Ship it", "--agent", "agent-a", "--agent", "agent-b")
    return inside


def add(project: Loopx, text: str, *options: str) -> str:
    todo_id = project.ok("todo", "add", "--text", text, *options)["todo"]["todo_id"]
    assert isinstance(todo_id, str)
    return todo_id


def gate(project: Loopx, *options: str) -> str:
    return add(project, "May it change?", "--role", "user", "--task-class", "user_gate", *options)


def mode(project: Loopx, agent: str = "agent-a") -> str:
    packet = project.ok("quota", "should-run", "--agent-id", agent)
    return str(packet["interaction_contract"]["mode"])


@pytest.mark.parametrize(
    "door",
    [
        "gate answer GATE --decision approve",
        "todo complete GATE --evidence yes",
        "todo supersede GATE --reason r --no-replacement",
        "todo defer GATE --resume-when in:2h",
        "todo block GATE --reason r",
        "todo update GATE --task-class user_action",
        "todo update GATE --no-global-gate",
        "todo update GATE --text other",
        "gate revoke GATE",
        "todo update WORK --remove-required-decision-scope direction:action:public_api",
        "todo update WORK --clear-required-decision-scope",
        "goal update --slots 99",
        "goal update --write-scope **",
    ],
)
def test_an_agent_is_refused_what_is_a_persons_decision(project: Loopx, door: str) -> None:
    work = add(project, "Change it", "--required-decision-scope", SCOPE)
    question = gate(project, "--decision-scope", SCOPE, "--global-gate")
    words = [{"GATE": question, "WORK": work}.get(word, word) for word in door.split()]
    project.refused(*words, *AGENT, code="user_decision_required", exit_code=3)


@pytest.mark.parametrize("mend", [("--blocks-agent", "agent-b"), ("--global-gate",), ("--task-class", "user_action")])
def test_an_agent_mends_a_gate_that_does_not_say_whom_it_holds_once(project: Loopx, mend: tuple[str, ...]) -> None:
    add(project, "free")
    question = gate(project, "--decision-scope", SCOPE)
    assert mode(project) == "control_plane_self_repair"
    project.ok("todo", "update", question, *mend, *AGENT)
    assert mode(project) != "control_plane_self_repair"
    if "user_action" not in mend:
        project.refused(
            "todo", "update", question, "--task-class", "user_action", *AGENT, code="user_decision_required"
        )


@pytest.mark.parametrize("reach", [(), ("--global-gate",), ("--blocks-agent", "agent-a")])
def test_a_gate_closes_every_door_through_which_work_starts_or_ends(project: Loopx, reach: tuple[str, ...]) -> None:
    work = add(project, "Work")
    gate(project, *reach)
    assert project.ok("todo", "claim-next", *AGENT)["claim"] is None
    doors = (
        ("task-lease", "acquire", "--todo-id", work, "--ttl", "1m"),
        ("refresh-state", "--todo-id", work, "--run-kind", "work", "--evidence", "seen"),
        ("todo", "complete", work, "--evidence", "seen"),
    )
    for door in doors:
        project.refused(*door, *AGENT, code="gate_open", exit_code=3)
    project.ok("todo", "claim", work, "--claimed-by", "agent-a")


def test_completing_a_gate_approves_and_can_mean_nothing_else(project: Loopx) -> None:
    question = gate(project, "--decision-scope", SCOPE, "--global-gate")
    project.refused("todo", "complete", question, "--outcome", "failed", code="usage")
    project.refused("todo", "complete", question, "--next-agent-todo", "next", code="usage")
    project.ok("todo", "complete", question, "--evidence", "we talked")
    decision = project.ok("todo", "show", question)["todo"]["decision"]
    assert (decision["verdict"], decision["note"]) == ("approve", "we talked")


def test_a_gate_for_every_key_is_written_by_a_person_only(project: Loopx) -> None:
    wide = ("todo", "add", "--text", "All?", "--role", "user", "--task-class", "user_gate", "--global-gate")
    scope = ("--decision-scope", "direction:project:*")
    project.refused(*wide, *scope, *AGENT, code="user_decision_required")
    project.ok(*wide, *scope)


def test_an_excluded_agent_does_not_let_itself_in_while_a_peer_may_do_the_work(project: Loopx) -> None:
    review = add(project, "Review", "--excluded-agent", "agent-a")
    letting_in = ("todo", "update", review, "--remove-excluded-agent", "agent-a")
    project.refused(*letting_in, *AGENT, code="agent_excluded", exit_code=3)
    project.refused("todo", "update", review, "--clear-excluded-agent", *AGENT, code="agent_excluded")
    project.ok(*letting_in, "--agent-id", "agent-b")


def test_work_bound_to_a_peer_is_not_freed_by_another_one(project: Loopx) -> None:
    bound = add(project, "Bound", "--bound-agent", "agent-b")
    project.refused("todo", "update", bound, "--clear-bound-agent", *AGENT, code="agent_bound", exit_code=3)
    project.refused("todo", "update", bound, "--bound-agent", "agent-a", *AGENT, code="agent_bound")
    project.ok("todo", "update", bound, "--clear-bound-agent", "--agent-id", "agent-b")


def test_what_nobody_may_take_is_opened_with_the_printed_command(project: Loopx) -> None:
    nobody = add(project, "Nobody", "--excluded-agent", "agent-a", "--excluded-agent", "agent-b")
    project.ok("todo", "update", nobody, "--clear-excluded-agent", *AGENT)


def test_held_work_is_not_bound_to_another_agent(project: Loopx) -> None:
    work = add(project, "Work", "--claimed-by", "agent-a")
    project.refused("todo", "update", work, "--bound-agent", "agent-b", *AGENT, code="agent_bound")


@pytest.mark.parametrize("door", [("todo", "claim-next"), ("quota", "should-run")])
def test_declaring_an_authority_on_the_call_authorises_nothing(project: Loopx, door: tuple[str, ...]) -> None:
    add(project, "Deploy", "--required-capability", "production_access")
    answer = project.ok(*door, *AGENT, "--available-capability", "production_access")
    assert not answer.get("claim")
    assert not answer.get("selected_todo")


def test_a_capability_on_the_call_is_read_in_the_one_spelling_of_names(project: Loopx) -> None:
    add(project, "Run", "--required-capability", "shell")
    packet = project.ok("quota", "should-run", *AGENT, "--available-capability", " shell\t")
    assert packet["selected_todo"]
    project.refused("quota", "should-run", *AGENT, "--available-capability", " ", code="usage", exit_code=2)


@pytest.mark.parametrize("setting", [("LOOPX_ROLE", "Teammate"), ("LOOPX_IDENTITY", "Fixed"), ("LOOPX_FORMAT", "xml")])
def test_a_misspelt_setting_is_refused_and_never_taken_for_none(project: Loopx, setting: tuple[str, str]) -> None:
    answer = project.text("todo", "list", env=dict([setting]))
    assert answer.code == 2, answer


def test_a_fixed_identity_without_an_agent_says_what_is_missing(project: Loopx) -> None:
    work = add(project, "Work")
    answer = project.refused(
        "todo", "claim", work, "--claimed-by", "agent-a", env={"LOOPX_IDENTITY": "fixed"}, code="identity_mismatch"
    )
    assert "None" not in answer.error["message"]


TEAMMATE = {"LOOPX_ROLE": "teammate", "LOOPX_AGENT_ID": "agent-a"}


@pytest.mark.parametrize(
    "door",
    [
        "todo add --text new",
        "todo complete WORK --evidence e --next-agent-todo n",
        "todo supersede WORK --reason r --next-agent-todo n",
        "gate answer GATE --decision approve",
        "goal pause",
        "agent register --agent-id new",
        "authority grant --agent-id agent-a --action complete",
        "pool set gpu --capacity 1",
    ],
)
def test_a_teammate_shapes_nothing(project: Loopx, door: str) -> None:
    work = add(project, "Work")
    question = gate(project, "--decision-scope", SCOPE, "--blocks-agent", "agent-b")
    words = [{"GATE": question, "WORK": work}.get(word, word) for word in door.split()]
    project.refused(*words, env=TEAMMATE, code="role_not_allowed", exit_code=3)


FIXED = {"LOOPX_IDENTITY": "fixed", "LOOPX_AGENT_ID": "agent-a"}


@pytest.mark.parametrize(
    "door",
    [
        "todo claim WORK --claimed-by agent-b",
        "todo claim-next --agent-id agent-b",
        "todo complete WORK --claimed-by agent-b --evidence e",
        "todo release WORK --claimed-by agent-b",
        "todo update WORK --agent-id agent-b --text t",
        "todo add --text t --agent-id agent-b",
        "task-lease acquire --todo-id WORK --agent-id agent-b --ttl 1m",
        "refresh-state --agent-id agent-b --todo-id WORK --run-kind work --evidence e",
        "quota should-run --agent-id agent-b",
        "quota spend-slot --agent-id agent-b --run-id r",
    ],
)
def test_a_fixed_identity_acts_as_itself_only(project: Loopx, door: str) -> None:
    work = add(project, "Work")
    words = [{"WORK": work}.get(word, word) for word in door.split()]
    project.refused(*words, env=FIXED, code="identity_mismatch", exit_code=3)


def test_a_person_acts_on_held_work_only_with_a_reason_and_never_from_an_agents_session(project: Loopx) -> None:
    work = add(project, "Work", "--claimed-by", "agent-a")
    change = ("todo", "update", work, "--priority", "P0")
    project.refused(*change, code="actor_required", exit_code=3)
    project.refused(*change, "--as-user", code="reason_required", exit_code=3)
    project.refused(*change, "--as-user", "--reason", "r", env={"LOOPX_AGENT_ID": "agent-b"}, exit_code=3)
    project.ok(*change, "--as-user", "--reason", "r")


def test_the_question_asked_on_a_terminal_cannot_steer_it(loopx: Loopx) -> None:
    loopx.ok("init", "--goal-id", "g", "--objective", "o", "--agent", "agent-a")
    question = add(loopx, "May I\x1b[2J erase?", "--role", "user", "--task-class", "user_gate")
    shown = at_a_terminal(loopx, ("gate", "answer", question), b"approve\n")
    assert b"\x1b[2J" not in shown
    assert b"erase?" in shown
    assert loopx.ok("todo", "show", question)["todo"]["decision"]["verdict"] == "approve"


def at_a_terminal(loopx: Loopx, argv: tuple[str, ...], typed: bytes) -> bytes:
    """What a person sees who runs the command on a terminal and types that."""
    ours, theirs = os.openpty()
    os.write(ours, typed)
    with subprocess.Popen(
        [COMMAND, *argv], cwd=loopx.root, env=clean_environment(), stdin=theirs, stdout=theirs, stderr=theirs
    ) as process:
        os.close(theirs)
        assert process.wait(timeout=30) == 0
    shown = b""
    with contextlib.suppress(OSError):  # a terminal whose other end is closed reads as an error
        while part := os.read(ours, 4096):
            shown += part
    os.close(ours)
    return shown
