"""Grants: a person's to give, exact, revocable, and seen where they came in by hand."""

from __future__ import annotations

import pytest

from tests.support.cli import Loopx

AS_ANN = {"LOOPX_AGENT_ID": "ann"}
REGISTRY = """\
version: 1
goals:
  - id: lab
    objective: Find out
    coordination:
      agents: [{{id: ann}}, {{id: bob}}]
      todo_lifecycle_authority: {grants}
"""


@pytest.fixture
def lab(inside: Loopx) -> Loopx:
    inside.ok("init", "--goal-id", "lab", "--objective", "Find out", "--agent", "ann", "--agent", "bob")
    return inside


def grants(lab: Loopx) -> list[dict[str, object]]:
    found = lab.ok("authority", "list")["grants"]
    assert isinstance(found, list)
    return found


def grant(lab: Loopx, *actions: str, agent: str = "ann", reason: bool = False) -> dict[str, object]:
    argv = [word for action in actions for word in ("--action", action)]
    more = ["--requires-reason"] if reason else []
    return lab.ok("authority", "grant", "--agent-id", agent, *argv, *more)


def by_hand(lab: Loopx, entries: str) -> None:
    """Write the registry with these grants, as an editor does."""
    text = REGISTRY.format(grants=entries)
    (lab.root / ".loopx" / "registry.yaml").write_text(text, encoding="utf-8")


def test_a_grant_is_exactly_what_was_given(lab: Loopx) -> None:
    document = grant(lab, "complete", "supersede", reason=True)
    wanted = {"agent_id": "ann", "actions": ["complete", "supersede"], "requires_reason": True}
    assert document["grant"] == wanted
    assert grants(lab) == [wanted]


@pytest.mark.parametrize("actions", [("reassign",), ("complete", "reassign"), ("supersede", "complete")])
@pytest.mark.parametrize("reason", [True, False])
def test_a_new_grant_replaces_the_former(lab: Loopx, actions: tuple[str, ...], reason: bool) -> None:
    grant(lab, "complete", "supersede", reason=not reason)
    grant(lab, *actions, reason=reason)
    (present,) = grants(lab)
    assert set(actions) == set(present["actions"])  # type: ignore[call-overload]
    assert present["requires_reason"] is reason


def test_a_grant_counts_until_it_is_revoked(lab: Loopx) -> None:
    todo = lab.ok("todo", "add", "--text", "Work")["todo"]["todo_id"]
    lab.ok("todo", "claim", todo, "--claimed-by", "bob")
    take = ("todo", "reassign", todo, "--claimed-by", "ann", "--agent-id", "ann")
    lab.refused(*take, code="not_claim_owner")
    grant(lab, "reassign")
    lab.ok(*take, "--dry-run")
    lab.ok("authority", "revoke", "--agent-id", "ann")
    lab.refused(*take, code="not_claim_owner")


def test_one_action_is_taken_out_of_a_grant(lab: Loopx) -> None:
    grant(lab, "complete", "reassign")
    document = lab.ok("authority", "revoke", "--agent-id", "ann", "--action", "complete")
    assert (document["revoked"], document["grant"]["actions"]) == (True, ["complete"])
    assert [row["actions"] for row in grants(lab)] == [["reassign"]]
    lab.refused("authority", "revoke", "--agent-id", "ann", "--action", "complete", code="action_not_delegated")


def test_there_is_nothing_to_revoke_without_a_grant(lab: Loopx) -> None:
    lab.refused("authority", "revoke", "--agent-id", "ann", code="action_not_delegated", exit_code=3)


def test_an_agent_neither_gives_nor_takes_grants(lab: Loopx) -> None:
    grant(lab, "complete", agent="bob")
    for subject in ("ann", "bob"):
        argv = ("authority", "grant", "--agent-id", subject, "--action", "supersede")
        lab.refused(*argv, env=AS_ANN, code="user_decision_required", exit_code=3)
        lab.refused("authority", "revoke", "--agent-id", subject, env=AS_ANN, code="user_decision_required")
    assert [row["agent_id"] for row in grants(lab)] == ["bob"]


def test_a_grant_needs_a_registered_agent_that_may_act(lab: Loopx) -> None:
    argv = ("authority", "grant", "--action", "complete", "--agent-id")
    lab.refused(*argv, "zoe", code="agent_not_registered", exit_code=7)
    lab.ok("agent", "retire", "--agent-id", "bob")
    lab.refused(*argv, "bob", code="agent_not_registered")


@pytest.mark.parametrize("argv", [(), ("--action", "delete"), ("--action", "Complete")])
def test_only_the_three_actions_can_be_granted(lab: Loopx, argv: tuple[str, ...]) -> None:
    lab.refused("authority", "grant", "--agent-id", "ann", *argv, code="usage", exit_code=2)


def test_a_grant_made_by_hand_shows_in_the_inbox_before_and_after_the_next_write(lab: Loopx) -> None:
    lab.ok("todo", "add", "--text", "Work")
    by_hand(lab, "[{agent_id: ann, actions: [complete]}]")
    wanted = [{"goal_id": "lab", "agent_id": "ann", "actions": ["complete"], "requires_reason": False}]
    assert lab.ok("inbox")["hand_made_grants"] == wanted
    lab.ok("todo", "add", "--text", "More work")
    assert lab.ok("inbox")["hand_made_grants"] == wanted
    (event,) = lab.ok("log", "--action", "registry_edited")["events"]
    assert event["receipt"]["new_grants"] == [["lab", "ann", ["complete"], False]]
    assert event["actor_kind"] == "system"


def test_a_grant_given_by_command_is_not_made_by_hand(lab: Loopx) -> None:
    grant(lab, "complete")
    assert lab.ok("inbox")["hand_made_grants"] == []


@pytest.mark.parametrize("settle", ["grant", "revoke", "hand"])
def test_it_leaves_the_inbox_once_it_is_settled(lab: Loopx, settle: str) -> None:
    by_hand(lab, "[{agent_id: ann, actions: [complete]}]")
    lab.ok("todo", "add", "--text", "Work")
    if settle == "grant":
        grant(lab, "complete")
    elif settle == "revoke":
        lab.ok("authority", "revoke", "--agent-id", "ann")
    else:
        by_hand(lab, "[]")
    assert lab.ok("inbox")["hand_made_grants"] == []


def test_widening_by_hand_counts_and_narrowing_does_not(lab: Loopx) -> None:
    grant(lab, "complete", "reassign", reason=True)
    by_hand(lab, "[{agent_id: ann, actions: [complete], requires_reason: true}]")
    lab.ok("todo", "add", "--text", "Work")
    assert lab.ok("inbox")["hand_made_grants"] == []
    by_hand(lab, "[{agent_id: ann, actions: [complete]}]")
    assert [row["agent_id"] for row in lab.ok("inbox")["hand_made_grants"]] == ["ann"]


def test_a_teammate_changes_no_grants(lab: Loopx) -> None:
    teammate = {"LOOPX_ROLE": "teammate"}
    lab.refused("authority", "revoke", "--agent-id", "ann", env=teammate, code="role_not_allowed")
