"""Goals: who may change what of them, and that closure is earned and never declared."""

from __future__ import annotations

import pytest

from tests.support.cli import Loopx

AS_ANN = {"LOOPX_AGENT_ID": "ann"}


@pytest.fixture
def lab(inside: Loopx) -> Loopx:
    """A goal with one criterion and two peers."""
    inside.ok(
        "init", "--goal-id", "lab", "--objective", "Find out", "--acceptance", "It is known",
        "--agent", "ann", "--agent", "bob",
    )  # fmt: skip
    return inside


def add(lab: Loopx, text: str, *more: str) -> str:
    return str(lab.ok("todo", "add", "--goal-id", "lab", "--text", text, *more)["todo"]["todo_id"])


def finish(lab: Loopx, todo_id: str) -> None:
    lab.ok(
        "todo", "complete", todo_id, "--goal-id", "lab", "--claimed-by", "ann", "--evidence", "seen",
        "--no-follow-up", "--reason", "it is all",
    )  # fmt: skip


def missing(document: dict[str, object]) -> dict[str, int]:
    gaps = document["missing"]
    assert isinstance(gaps, list)
    return {gap["code"]: gap["count"] for gap in gaps}


def test_a_goal_is_added_with_criteria_and_agents(lab: Loopx) -> None:
    document = lab.ok(
        "goal", "add", "--goal-id", "ship", "--objective", "Ship it", "--acceptance", "one",
        "--acceptance", "two", "--agent", "cy",
    )  # fmt: skip
    goal = document["goal"]
    assert [criterion["id"] for criterion in goal["acceptance"]] == ["A1", "A2"]
    assert [agent["agent_id"] for agent in goal["agents"]] == ["cy"]
    assert document["receipt"]["event"] == "goal_added"
    assert [row["goal_id"] for row in lab.ok("goal", "list")["goals"]] == ["lab", "ship"]


@pytest.mark.parametrize("name", ["lab", "LAB", "lab "])
def test_a_name_is_given_once_whatever_its_case(lab: Loopx, name: str) -> None:
    lab.refused("goal", "add", "--goal-id", name, "--objective", "x", code="name_taken", exit_code=4)


def test_an_agent_adds_only_goals_that_it_works_on(lab: Loopx) -> None:
    argv = ("goal", "add", "--goal-id", "ship", "--objective", "Ship it")
    lab.refused(*argv, env=AS_ANN, code="agent_not_registered")
    assert lab.ok("goal", "list")["total"] == 1
    lab.ok(*argv, "--agent", "ann", env=AS_ANN)


def test_a_refused_change_leaves_the_registry_byte_for_byte(lab: Loopx) -> None:
    registry = lab.root / ".loopx" / "registry.yaml"
    before = registry.read_bytes()
    lab.refused("goal", "update", "--objective", "Other", "--remove-acceptance", "A9", code="usage")
    lab.refused("goal", "update", "--write-scope", "../x", code="write_scope_invalid")
    lab.ok("goal", "update", "--objective", "Other", "--dry-run")
    assert registry.read_bytes() == before


def test_boundary_and_budget_are_set_added_to_and_lifted(lab: Loopx) -> None:
    lab.ok(
        "goal", "update", "--slots", "24", "--tokens", "1000", "--cost", "2.5", "--window", "24h",
        "--repository", "https://user:secret@example.org/team/repo.git", "--write-scope", "src/**",
    )  # fmt: skip
    goal = lab.ok("goal", "update", "--write-scope", "./docs/**", "--clear-tokens")["goal"]
    assert goal["quota"] == {"slots": 24, "tokens": None, "cost": 2.5, "window": "1d"}
    assert goal["boundary"]["repositories"] == ["git:example.org/team/repo"]
    assert goal["boundary"]["write_scopes"] == ["src/**", "docs/**"]
    goal = lab.ok("goal", "update", "--remove-write-scope", "src/**", "--clear-repository")["goal"]
    assert goal["boundary"] == {"repositories": [], "write_scopes": ["docs/**"]}


@pytest.mark.parametrize("option", [("--cost", "nan"), ("--cost", "-1"), ("--slots", "-1"), ("--window", "0h")])
def test_a_budget_without_meaning_is_refused(lab: Loopx, option: tuple[str, str]) -> None:
    lab.refused("goal", "update", *option, code="usage", exit_code=2)


def test_setting_and_lifting_the_same_limit_is_a_contradiction(lab: Loopx) -> None:
    lab.refused("goal", "update", "--slots", "3", "--clear-slots", code="usage")


def test_an_update_that_changes_nothing_says_so(lab: Loopx) -> None:
    lab.refused("goal", "update", code="usage")


@pytest.mark.parametrize(
    "change",
    [
        ("--objective", "Something easier"),
        ("--slots", "99"),
        ("--cost", "99"),
        ("--write-scope", "**"),
        ("--clear-acceptance",),
    ],
)
def test_an_agent_cannot_change_its_own_bounds(lab: Loopx, change: tuple[str, ...]) -> None:
    before = lab.ok("goal", "show")["goal"]
    lab.refused("goal", "update", *change, env=AS_ANN, code="user_decision_required", exit_code=3)
    lab.refused("goal", "update", *change, "--agent-id", "ann", code="user_decision_required")
    assert lab.ok("goal", "show")["goal"] == before


def test_evidence_for_a_removed_criterion_never_counts_for_a_new_one(lab: Loopx) -> None:
    lab.ok("goal", "accept", "--criterion", "A1", "--evidence", "seen")
    lab.ok("goal", "update", "--remove-acceptance", "A1")
    goal = lab.ok("goal", "update", "--acceptance", "Something else")["goal"]
    assert goal["acceptance"] == [{"id": "A2", "text": "Something else", "met": False}]


def test_a_criterion_is_accepted_once_and_with_evidence(lab: Loopx) -> None:
    lab.refused("goal", "accept", "--criterion", "A1", code="evidence_required", exit_code=3)
    lab.refused("goal", "accept", "--criterion", "A1", "--evidence", " ", code="usage")
    lab.refused("goal", "accept", "--criterion", "A7", "--evidence", "seen", code="usage")
    document = lab.ok("goal", "accept", "--criterion", "A1", "--evidence", "seen", env=AS_ANN)
    assert document["goal"]["acceptance"][0]["met"] is True
    lab.refused("goal", "accept", "--criterion", "A1", "--evidence", "again", code="already_done", exit_code=4)


def test_show_says_everything_that_is_missing(lab: Loopx) -> None:
    assert missing(lab.ok("goal", "show")) == {"empty_graph": 1, "acceptance_unmet": 1}
    add(lab, "Work")
    add(lab, "Later", "--status", "deferred", "--resume-when", "in:1h")
    add(lab, "Ask", "--role", "user", "--task-class", "user_gate", "--global-gate")
    add(lab, "Look", "--task-class", "continuous_monitor", "--poll-every", "1h")
    assert missing(lab.ok("goal", "show")) == {
        "work_open": 1, "monitor_open": 1, "gate_open": 1, "work_deferred": 1, "acceptance_unmet": 1,
    }  # fmt: skip


def test_a_goal_closes_only_when_nothing_is_missing(lab: Loopx) -> None:
    todo = add(lab, "Work")
    refusal = lab.refused("goal", "close", code="closure_incomplete", exit_code=3)
    assert [gap["code"] for gap in refusal.error["details"]["missing"]] == ["work_open", "acceptance_unmet"]
    finish(lab, todo)
    lab.refused("goal", "close", code="closure_incomplete")
    lab.ok("goal", "accept", "--criterion", "A1", "--evidence", "seen")
    document = lab.ok("goal", "close", env=AS_ANN)
    assert document["goal"]["state"] == "closed"
    assert document["missing"] == []
    lab.refused("todo", "add", "--text", "more", code="goal_not_active")


def test_done_work_that_says_nothing_of_what_follows_keeps_the_goal_open(lab: Loopx) -> None:
    lab.ok("goal", "accept", "--criterion", "A1", "--evidence", "seen")
    todo = add(lab, "Work")
    lab.ok("todo", "complete", todo, "--claimed-by", "ann", "--evidence", "seen")
    refusal = lab.refused("goal", "close", code="closure_incomplete")
    assert refusal.error["details"]["missing"] == [{"code": "follow_up_unstated", "count": 1, "subjects": [todo]}]


def test_pausing_twice_tells_the_second_that_it_was_second(lab: Loopx) -> None:
    lab.ok("goal", "pause", "--reason", "review")
    lab.refused("goal", "pause", code="already_done", exit_code=4)
    lab.ok("goal", "resume")
    lab.refused("goal", "resume", code="already_done")
    lab.refused("goal", "reopen", code="already_done")


def test_a_stop_is_lifted_by_a_person_alone(lab: Loopx) -> None:
    lab.ok("goal", "pause", env=AS_ANN)
    lab.refused("goal", "resume", env=AS_ANN, code="user_decision_required")
    lab.refused("goal", "reopen", env=AS_ANN, code="user_decision_required")
    lab.ok("goal", "resume")


@pytest.mark.parametrize("verb", ["add", "update", "pause", "resume", "close", "reopen", "accept"])
def test_a_teammate_changes_no_goal(lab: Loopx, verb: str) -> None:
    more = {
        "add": ("--goal-id", "x", "--objective", "x"),
        "accept": ("--criterion", "A1", "--evidence", "seen"),
    }
    lab.refused("goal", verb, *more.get(verb, ()), env={"LOOPX_ROLE": "teammate"}, code="role_not_allowed")


def test_an_unknown_goal_is_refused_with_the_near_match(lab: Loopx) -> None:
    refusal = lab.refused("goal", "show", "--goal-id", "labs", code="goal_not_found", exit_code=7)
    assert "'lab'" in refusal.error["message"]


def test_a_retry_of_the_same_operation_changes_the_file_once(lab: Loopx) -> None:
    argv = ("goal", "update", "--acceptance", "one more", "--operation-id", "op-1")
    assert lab.ok(*argv)["receipt"]["replayed"] is False
    assert lab.ok(*argv)["receipt"]["replayed"] is True
    assert len(lab.ok("goal", "show")["goal"]["acceptance"]) == 2


def test_the_event_holds_the_digest_before_and_after(lab: Loopx) -> None:
    lab.ok("goal", "pause")
    lab.ok("goal", "resume")
    paused, resumed = (
        lab.ok("log", "--action", action)["events"][0]["changes"]["registry"]["sha256"]["sha256"]
        for action in ("goal_paused", "goal_resumed")
    )
    assert paused[1] == resumed[0]
    assert lab.ok("log", "--action", "registry_edited")["total"] == 0
