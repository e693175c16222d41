"""Gates: what they hold, who answers them, what an answer frees, and that no door leads around one."""

from __future__ import annotations

from typing import Any

import pytest

from loopx.core.instant import HOUR
from tests.support.cli import Loopx
from tests.support.fakes import FakeClock
from tests.support.lab import add, add_gate, add_monitor, ask, claim_next, finish, mode, show, start_lab

SCOPE = "direction:action:api"
OTHER = "direction:action:other"
AS_ANN = {"LOOPX_AGENT_ID": "ann"}


@pytest.fixture
def lab(inside: Loopx) -> Loopx:
    return start_lab(inside)


def needing(lab: Loopx, *scopes: str, text: str = "[P0] held") -> str:
    return add(lab, text, *(word for scope in scopes for word in ("--required-decision-scope", scope)))


def answer(lab: Loopx, gate: str, decision: str = "approve", *more: str) -> dict[str, Any]:
    return lab.ok("gate", "answer", gate, "--decision", decision, *more)


def required(lab: Loopx, todo: str) -> list[str]:
    scopes = show(lab, todo)["required_decision_scopes"]
    assert isinstance(scopes, list)
    return scopes


# --- the answer --------------------------------------------------------------------------------


def test_an_answer_is_kept_with_who_when_and_why(lab: Loopx, clock: FakeClock) -> None:
    gate = add_gate(lab, SCOPE, "--global-gate")
    clock.advance(HOUR)
    answer(lab, gate, "approve", "--note", "behind a flag")
    todo = show(lab, gate)
    assert (todo["status"], todo["closure"]) == ("done", "completed")
    assert todo["decision"] == {
        "verdict": "approve",
        "note": "behind a flag",
        "decided_by": "user",
        "decided_at": "2026-01-01T01:00:00Z",
        "standing": False,
        "revoked_at": None,
    }
    (event,) = lab.ok("log", "--todo-id", gate, "--action", "gate_answered")["events"]
    assert "behind a flag" in str(event["changes"])


def test_completing_a_gate_means_yes(lab: Loopx) -> None:
    todo = needing(lab, SCOPE)
    gate = add_gate(lab, SCOPE, "--blocks-agent", "ann", "--unblocks-todo-id", todo)
    lab.ok("todo", "complete", gate, "--reason", "fine with me")
    decision = show(lab, gate)["decision"]
    assert (decision["verdict"], decision["note"]) == ("approve", "fine with me")
    assert ask(lab)["selected_todo"]["todo_id"] == todo


@pytest.mark.parametrize("second", ["approve", "reject"])
def test_a_gate_is_answered_once(lab: Loopx, second: str) -> None:
    gate = add_gate(lab, SCOPE, "--global-gate")
    answer(lab, gate)
    lab.refused("gate", "answer", gate, "--decision", second, code="already_done", exit_code=4)
    lab.refused("todo", "complete", gate, code="already_done")
    assert show(lab, gate)["decision"]["verdict"] == "approve"


def test_without_a_terminal_an_answer_says_what_it_decides(lab: Loopx) -> None:
    gate = add_gate(lab, SCOPE, "--global-gate")
    lab.refused("gate", "answer", gate, code="usage", exit_code=2)
    lab.refused("gate", "answer", gate, "--decision", "maybe", code="usage")
    lab.refused("gate", "answer", gate, "--decision", "approve", "--note", "  ", code="usage")
    assert show(lab, gate)["decision"] is None


def test_only_gates_are_answered(lab: Loopx) -> None:
    for todo in (add(lab, "work"), add(lab, "act", "--role", "user")):
        lab.refused("gate", "answer", todo, "--decision", "approve", code="todo_invalid", exit_code=3)
        lab.refused("gate", "revoke", todo, code="todo_invalid")


def test_a_dry_run_answers_nothing(lab: Loopx) -> None:
    todo = needing(lab, SCOPE)
    gate = add_gate(lab, SCOPE, "--global-gate", "--unblocks-todo-id", todo)
    assert answer(lab, gate, "approve", "--dry-run")["dry_run"] is True
    assert (show(lab, gate)["decision"], required(lab, todo)) == (None, [SCOPE])


# --- what it frees -------------------------------------------------------------------------------


def test_an_answer_consumes_exactly_what_it_covers_on_what_it_unblocks(lab: Loopx) -> None:
    todo, like_it = needing(lab, SCOPE, OTHER), needing(lab, SCOPE)
    gate = add_gate(lab, SCOPE, "--blocks-agent", "ann", "--unblocks-todo-id", todo)
    answer(lab, gate)
    assert (required(lab, todo), required(lab, like_it)) == ([OTHER], [SCOPE])


def test_an_answer_that_names_nothing_frees_all_that_is_open_and_nothing_later(lab: Loopx) -> None:
    todos = [needing(lab, SCOPE), needing(lab, SCOPE), needing(lab, OTHER)]
    answer(lab, add_gate(lab, SCOPE, "--blocks-agent", "ann"))
    assert [required(lab, todo) for todo in todos] == [[], [], [OTHER]]
    later = needing(lab, SCOPE)
    assert required(lab, later) == [SCOPE]


def test_a_coarser_gate_covers_finer_needs_and_not_the_reverse(lab: Loopx) -> None:
    fine, coarse = needing(lab, "direction:action:api"), needing(lab, "direction:project:api")
    answer(lab, add_gate(lab, "direction:goal:api", "--blocks-agent", "ann"))
    assert (required(lab, fine), required(lab, coarse)) == ([], ["direction:project:api"])


def test_two_gates_hold_until_both_are_answered(lab: Loopx) -> None:
    todo = needing(lab, SCOPE, OTHER)
    gates = [add_gate(lab, scope, "--blocks-agent", "ann", "--unblocks-todo-id", todo) for scope in (SCOPE, OTHER)]
    answer(lab, gates[0])
    packet = ask(lab)
    assert mode(packet) == "user_gate"
    assert [row["todo_id"] for row in packet["interaction_contract"]["user_channel"]["todos"]] == [gates[1]]
    answer(lab, gates[1])
    assert ask(lab)["selected_todo"]["todo_id"] == todo


def test_a_link_alone_is_freed_by_its_answer(lab: Loopx) -> None:
    todo = add(lab, "[P0] linked")
    gate = add_gate(lab, None, "--blocks-agent", "ann", "--unblocks-todo-id", todo)
    assert mode(ask(lab)) == "user_gate"
    answer(lab, gate)
    assert ask(lab)["selected_todo"]["todo_id"] == todo


def test_a_standing_answer_covers_later_work_until_it_is_revoked(lab: Loopx) -> None:
    gate = add_gate(lab, SCOPE, "--blocks-agent", "ann")
    answer(lab, gate, "approve", "--standing")
    later = needing(lab, SCOPE)
    assert ask(lab)["selected_todo"]["todo_id"] == later
    lab.ok("gate", "revoke", gate)
    packet = ask(lab)
    assert mode(packet) == "control_plane_self_repair"
    assert packet["repair"]["errors"][0]["reason_code"] == "decision_scope_without_gate"
    lab.refused("gate", "revoke", gate, code="already_done", exit_code=4)
    assert show(lab, gate)["decision"]["revoked_at"] == "2026-01-01T00:00:00Z"


def test_an_answer_for_once_does_not_stand(lab: Loopx) -> None:
    gate = add_gate(lab, SCOPE, "--blocks-agent", "ann")
    lab.refused("gate", "revoke", gate, code="todo_not_open", exit_code=3)
    answer(lab, gate)
    lab.refused("gate", "revoke", gate, code="already_done")
    needing(lab, SCOPE)
    assert mode(ask(lab)) == "control_plane_self_repair"


def test_the_newest_answer_for_a_scope_wins(lab: Loopx, clock: FakeClock) -> None:
    answer(lab, add_gate(lab, SCOPE, "--blocks-agent", "ann"), "approve", "--standing")
    clock.advance(1)
    answer(lab, add_gate(lab, SCOPE, "--blocks-agent", "ann"), "reject")
    todo = needing(lab, SCOPE)
    packet = ask(lab)
    assert packet["repair"]["errors"][0]["reason_code"] == "decision_rejected"
    clock.advance(1)
    answer(lab, add_gate(lab, SCOPE, "--blocks-agent", "ann"), "approve", "--standing")
    assert ask(lab)["selected_todo"]["todo_id"] == todo


# --- a no ----------------------------------------------------------------------------------------


def test_a_no_leaves_what_it_denies_as_a_repair_that_asking_again_mends(lab: Loopx) -> None:
    todo = needing(lab, SCOPE)
    gate = add_gate(lab, SCOPE, "--blocks-agent", "ann", "--unblocks-todo-id", todo)
    answer(lab, gate, "reject", "--note", "not before the release")
    assert required(lab, todo) == [SCOPE]
    packet = ask(lab)
    assert mode(packet) == "control_plane_self_repair"
    assert packet["repair"]["errors"] == [{"reason_code": "decision_rejected", "todo_id": todo, "user_todo_id": gate}]
    lab.refused("todo", "complete", todo, "--claimed-by", "ann", "--evidence", "x", code="gate_open", exit_code=3)
    again = add_gate(lab, SCOPE, "--blocks-agent", "ann", "--unblocks-todo-id", todo)
    assert mode(ask(lab)) == "user_gate"
    answer(lab, again)
    assert ask(lab)["selected_todo"]["todo_id"] == todo


# --- whom it holds ---------------------------------------------------------------------------------


def test_a_gate_holds_the_agent_that_it_names_on_what_it_decides(lab: Loopx) -> None:
    held, free = needing(lab, SCOPE), add(lab, "[P3] free")
    add_gate(lab, SCOPE, "--blocks-agent", "ann", "--unblocks-todo-id", held)
    packet = ask(lab, "ann")
    assert packet["selected_todo"]["todo_id"] == free
    assert packet["safe_bypass_allowed"] is True
    assert packet["bypass_boundary"] == [{"todo_id": held, "decision_scope": SCOPE}]
    assert ask(lab, "bob")["interaction_contract"]["user_channel"]["action_required"] is False


@pytest.mark.parametrize("reach", ["--global-gate", "--blocks-agent"])
def test_a_gate_without_a_link_and_a_need_holds_the_whole_lane(lab: Loopx, reach: str) -> None:
    add(lab, "work")
    add_gate(lab, OTHER, *((reach, "ann") if reach == "--blocks-agent" else (reach,)))
    assert mode(ask(lab, "ann")) == "user_gate"
    assert mode(ask(lab, "bob")) == ("user_gate" if reach == "--global-gate" else "bounded_delivery")


def test_a_gate_on_everything_still_lets_a_due_monitor_be_looked_at(lab: Loopx, clock: FakeClock) -> None:
    add(lab, "[P0] work")
    add_gate(lab, None, "--global-gate")
    monitor = add_monitor(lab)
    clock.advance(HOUR)
    packet = ask(lab)
    assert mode(packet) == "monitor_poll"
    assert packet["selected_todo"]["todo_id"] == monitor
    assert packet["interaction_contract"]["user_channel"]["action_required"] is True


def test_a_persons_action_never_decides(lab: Loopx) -> None:
    todo = needing(lab, SCOPE)
    action = add(lab, f"Please decide {SCOPE}", "--role", "user")
    lab.ok("todo", "complete", action)
    assert required(lab, todo) == [SCOPE]
    assert mode(ask(lab)) == "control_plane_self_repair"


def test_in_a_team_a_gate_without_reach_closes_delivery_and_three_ways_mend_it(lab: Loopx) -> None:
    add(lab, "work")
    for mend in (("--blocks-agent", "bob"), ("--task-class", "user_action"), ("--global-gate",)):
        gate = add_gate(lab, OTHER)
        packet = ask(lab)
        assert packet["repair"]["kind"] == "todo_decision_scope_projection_repair"
        assert packet["repair"]["errors"] == [
            {"reason_code": "multi_agent_user_gate_missing_scope", "user_todo_id": gate}
        ]
        lab.ok("todo", "update", gate, *mend, env=AS_ANN)
        assert mode(ask(lab)) == ("user_gate" if mend == ("--global-gate",) else "bounded_delivery")


def test_one_agent_alone_needs_no_stated_reach(inside: Loopx) -> None:
    lab = start_lab(inside, "ann")
    held = needing(lab, SCOPE)
    free = add(lab, "[P3] free")
    add_gate(lab, SCOPE)
    assert ask(lab)["selected_todo"]["todo_id"] == free
    assert held not in str(ask(lab)["interaction_contract"]["cli_channel"])


# --- who may touch it ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "verb",
    [
        ("gate", "answer", "GATE", "--decision", "approve"),
        ("gate", "answer", "GATE", "--decision", "reject"),
        ("gate", "answer", "GATE"),
        ("todo", "complete", "GATE", "--evidence", "the user said yes"),
        ("todo", "supersede", "GATE", "--reason", "x", "--no-replacement"),
        ("todo", "defer", "GATE", "--resume-when", "in:1h"),
        ("todo", "block", "GATE", "--reason", "x"),
        ("todo", "update", "GATE", "--task-class", "user_action"),
        ("todo", "update", "GATE", "--blocks-agent", "bob"),
        ("todo", "update", "GATE", "--global-gate"),
        ("todo", "update", "GATE", "--decision-scope", OTHER),
        ("todo", "update", "GATE", "--clear-unblocks-todo-id"),
        ("todo", "update", "GATE", "--text", "May I not?"),
        ("gate", "revoke", "STANDING"),
        ("todo", "update", "WORK", "--remove-required-decision-scope", SCOPE),
        ("todo", "update", "WORK", "--clear-required-decision-scope"),
    ],
    ids=" ".join,
)
def test_what_a_person_decides_no_agent_decides_at_any_door(lab: Loopx, verb: tuple[str, ...]) -> None:
    work = needing(lab, SCOPE)
    gate = add_gate(lab, SCOPE, "--blocks-agent", "ann", "--unblocks-todo-id", work)
    standing = add_gate(lab, OTHER, "--blocks-agent", "bob")
    answer(lab, standing, "approve", "--standing")
    before = [show(lab, todo) for todo in (work, gate, standing)]
    named = {"GATE": gate, "STANDING": standing, "WORK": work}
    words = [named.get(word, word) for word in verb]
    lab.refused(*words, "--agent-id", "ann", code="user_decision_required", exit_code=3)
    lab.refused(*words, env=AS_ANN, code="user_decision_required", exit_code=3)
    assert [show(lab, todo) for todo in (work, gate, standing)] == before


def test_a_new_text_lifts_no_decision_that_is_owed(lab: Loopx) -> None:
    work = needing(lab, SCOPE)
    add_gate(lab, SCOPE, "--blocks-agent", "ann")
    argv = ("todo", "supersede", work, "--agent-id", "ann", "--reason", "smaller", "--next-agent-todo", "the same")
    (new,) = lab.ok(*argv)["successors"]
    assert required(lab, new) == [SCOPE]
    assert mode(ask(lab)) == "user_gate"


def test_a_person_may_do_what_an_agent_may_not(lab: Loopx) -> None:
    work = needing(lab, SCOPE)
    gate = add_gate(lab, SCOPE, "--blocks-agent", "ann")
    lab.ok("todo", "update", gate, "--blocks-agent", "bob")
    lab.ok("todo", "defer", gate, "--resume-when", "in:1h")
    lab.ok("todo", "reopen", gate)
    lab.ok("todo", "update", work, "--clear-required-decision-scope")
    lab.ok("todo", "supersede", gate, "--reason", "not needed", "--no-replacement")
    assert ask(lab)["selected_todo"]["todo_id"] == work


@pytest.mark.parametrize(
    "argv",
    [
        ("gate", "answer", "GATE", "--decision", "approve"),
        ("gate", "revoke", "GATE"),
        ("todo", "complete", "GATE"),
        ("todo", "add", "--text", "more"),
        ("todo", "complete", "WORK", "--claimed-by", "ann", "--evidence", "x", "--next-agent-todo", "more"),
        ("todo", "supersede", "WORK", "--agent-id", "ann", "--reason", "x", "--next-agent-todo", "more"),
        ("monitor", "poll", "MONITOR", "--agent-id", "ann", "--result", "changed", "--evidence", "x",
         "--next-agent-todo", "more"),
        ("goal", "pause"),
        ("goal", "update", "--slots", "9"),
        ("agent", "register", "--agent-id", "eve"),
        ("authority", "grant", "--agent-id", "ann", "--action", "complete"),
        ("pool", "set", "gpu", "--capacity", "9"),
    ],
    ids=lambda argv: " ".join(argv[:2]),
)  # fmt: skip
def test_a_teammate_shapes_nothing_at_any_door(lab: Loopx, argv: tuple[str, ...]) -> None:
    """S3.2; a teammate whose agent id is missing is no person either."""
    named = {"WORK": add(lab, "work"), "MONITOR": add_monitor(lab)}
    named["GATE"] = add_gate(lab, SCOPE, "--blocks-agent", "bob")
    words = [named.get(word, word) for word in argv]
    before = lab.ok("log")["total"]
    lab.refused(*words, env={"LOOPX_ROLE": "teammate"}, code="role_not_allowed", exit_code=3)
    assert lab.ok("log")["total"] == before


def test_a_teammate_claims_and_completes(lab: Loopx) -> None:
    add(lab, "work")
    teammate = {"LOOPX_ROLE": "teammate", "LOOPX_AGENT_ID": "ann", "LOOPX_IDENTITY": "fixed"}
    claim = lab.ok("todo", "claim-next", env=teammate)["claim"]
    argv = ("--evidence", "x", "--no-follow-up", "--reason", "all", "--claim-token", claim["claim_token"])
    lab.ok("todo", "complete", claim["task"]["id"], *argv, env=teammate)


# --- who acts --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "argv",
    [
        ("todo", "claim", "TODO", "--claimed-by", "bob"),
        ("todo", "complete", "TODO", "--claimed-by", "bob", "--evidence", "x"),
        ("todo", "release", "TODO", "--claimed-by", "bob"),
        ("todo", "update", "TODO", "--agent-id", "bob", "--action-kind", "x"),
        ("todo", "claim-next", "--agent-id", "bob"),
        ("task-lease", "acquire", "TODO", "--agent-id", "bob"),
        ("refresh-state", "TODO", "--agent-id", "bob", "--run-kind", "status", "--evidence", "x"),
        ("quota", "should-run", "--agent-id", "bob"),
        ("quota", "spend-slot", "--agent-id", "bob", "--run-id", "run_0000000000"),
        ("fact", "record", "pr_merged:x", "--evidence", "x", "--agent-id", "bob"),
    ],
    ids=lambda argv: " ".join(argv[:2]),
)
def test_under_a_fixed_identity_nobody_else_acts(lab: Loopx, argv: tuple[str, ...]) -> None:
    todo = add(lab, "work")
    words = [todo if word == "TODO" else word for word in argv]
    fixed = {"LOOPX_AGENT_ID": "ann", "LOOPX_IDENTITY": "fixed"}
    lab.refused(*words, env=fixed, code="identity_mismatch", exit_code=3)
    assert show(lab, todo)["claimed_by"] is None


def test_an_option_goes_over_the_environment_where_the_identity_is_free(lab: Loopx) -> None:
    todo = add(lab, "work")
    lab.ok("todo", "claim", todo, "--agent-id", "bob", env=AS_ANN)
    assert show(lab, todo)["claimed_by"] == "bob"


def test_two_names_for_who_acts_contradict_each_other(lab: Loopx) -> None:
    argv = ("todo", "claim", add(lab, "work"), "--claimed-by", "ann", "--agent-id", "bob")
    lab.refused(*argv, code="usage", exit_code=2)


def test_a_person_on_held_work_says_so_and_why(lab: Loopx) -> None:
    todo = add(lab, "work", "--claimed-by", "ann")
    argv = ("todo", "complete", todo, "--evidence", "x", "--no-follow-up")
    lab.refused(*argv, code="actor_required", exit_code=3)
    lab.refused(*argv, "--as-user", code="reason_required", exit_code=3)
    lab.refused(*argv, "--as-user", "--reason", "x", env=AS_ANN, code="identity_mismatch")
    lab.refused(*argv, "--as-user", "--reason", "x", "--agent-id", "ann", code="usage", exit_code=2)
    lab.ok(*argv, "--as-user", "--reason", "ann has left")
    (event,) = lab.ok("log", "--action", "todo_completed")["events"]
    assert (event["actor"], event["reason"]) == ("user", "ann has left")
    assert show(lab, todo)["claimed_by"] == "ann"


def test_a_person_needs_no_token_and_leaves_none_valid(lab: Loopx) -> None:
    add(lab, "work")
    claim = claim_next(lab)["claim"]
    todo = claim["task"]["id"]
    argv = ("todo", "complete", todo, "--evidence", "x", "--no-follow-up", "--reason", "enough")
    lab.refused(*argv, code="claim_token_required", exit_code=3)
    lab.ok(*argv, "--as-user")
    late = ("todo", "complete", todo, "--claimed-by", "ann", "--evidence", "x", "--claim-token", claim["claim_token"])
    lab.refused(*late, code="already_done", exit_code=4)


def test_free_work_is_a_persons_too(lab: Loopx) -> None:
    todo = add(lab, "work")
    lab.ok("todo", "complete", todo, "--evidence", "did it myself", "--no-follow-up", "--reason", "all")
    assert show(lab, todo)["claimed_by"] is None


# --- how it is shown ---------------------------------------------------------------------------------


def test_gates_are_listed_whole_with_their_answers(lab: Loopx) -> None:
    one, two = add_gate(lab, SCOPE, "--global-gate"), add_gate(lab, OTHER, "--blocks-agent", "ann")
    answer(lab, one)
    rows = lab.ok("gate", "list")["todos"]
    assert [(row["todo_id"], row["status"]) for row in rows] == [(one, "done"), (two, "open")]
    assert [row["todo_id"] for row in lab.ok("gate", "list", "--status", "open")["todos"]] == [two]
    assert lab.ok("gate", "list", "--limit", "1")["truncated"] is True


def test_gated_work_is_marked_with_who_must_act(lab: Loopx) -> None:
    todo = needing(lab, SCOPE)
    gate = add_gate(lab, SCOPE, "--global-gate")
    (mark,) = show(lab, todo)["marks"]
    assert (mark["mark"], mark["who"], mark["by"]) == ("GATED", "user", gate)
    answer(lab, gate)
    assert "marks" not in show(lab, todo)
    finish(lab, todo)


def test_a_rejected_gate_without_a_scope_still_holds_what_it_names(inside: Loopx) -> None:
    inside.ok("init", "--goal-id", "lab", "--objective", "Ask first", "--agent", "agent-a", "--agent", "agent-b")
    work = inside.ok("todo", "add", "--text", "[P0] Risky")["todo"]["todo_id"]
    gate = ["todo", "add", "--text", "May we?", "--role", "user", "--task-class", "user_gate"]
    asked = inside.ok(*gate, "--blocks-agent", "agent-a", "--unblocks-todo-id", work)["todo"]["todo_id"]
    inside.ok("gate", "answer", asked, "--decision", "reject", "--note", "too risky")
    packet = inside.ok("quota", "should-run", "--agent-id", "agent-a")
    assert packet["interaction_contract"]["mode"] == "control_plane_self_repair"
    assert packet["repair"]["errors"][0]["reason_code"] == "decision_rejected"
    inside.refused("todo", "complete", work, "--claimed-by", "agent-a", "--evidence", "e", code="gate_open")
    again = inside.ok(*gate, "--blocks-agent", "agent-a", "--unblocks-todo-id", work)["todo"]["todo_id"]
    inside.ok("gate", "answer", again, "--decision", "approve")
    packet = inside.ok("quota", "should-run", "--agent-id", "agent-a")
    assert packet["selected_todo"]["todo_id"] == work


def test_a_sleeping_action_of_a_person_keeps_the_goal_from_ending(inside: Loopx) -> None:
    inside.ok("init", "--goal-id", "lab", "--objective", "Ask first", "--agent", "agent-a")
    action = inside.ok("todo", "add", "--text", "Sign it", "--role", "user")["todo"]["todo_id"]
    inside.ok("todo", "defer", action, "--resume-when", "in:1h")
    packet = inside.ok("quota", "should-run", "--agent-id", "agent-a")
    assert packet["interaction_contract"]["mode"] == "quiet_wait"


def test_superseding_what_was_refused_mends_it(inside: Loopx) -> None:
    scope = "direction:action:route"
    inside.ok("init", "--goal-id", "lab", "--objective", "Ask first", "--agent", "agent-a")
    work = inside.ok("todo", "add", "--text", "This way", "--required-decision-scope", scope)["todo"]["todo_id"]
    gate = ("--role", "user", "--task-class", "user_gate", "--decision-scope", scope)
    asked = inside.ok("todo", "add", "--text", "This way?", *gate)["todo"]["todo_id"]
    inside.ok("gate", "answer", asked, "--decision", "reject")
    new = inside.ok(
        "todo", "supersede", work, "--agent-id", "agent-a", "--reason", "refused", "--next-agent-todo", "Another way"
    )["successors"]
    packet = inside.ok("quota", "should-run", "--agent-id", "agent-a")
    assert packet["interaction_contract"]["mode"] == "bounded_delivery"
    assert [packet["selected_todo"]["todo_id"]] == new


def test_superseding_what_is_still_asked_lifts_nothing(inside: Loopx) -> None:
    scope = "direction:action:route"
    inside.ok("init", "--goal-id", "lab", "--objective", "Ask first", "--agent", "agent-a")
    work = inside.ok("todo", "add", "--text", "This way", "--required-decision-scope", scope)["todo"]["todo_id"]
    gate = ("--role", "user", "--task-class", "user_gate", "--decision-scope", scope)
    inside.ok("todo", "add", "--text", "This way?", *gate)
    supersede = ("todo", "supersede", work, "--agent-id", "agent-a", "--reason", "quicker")
    (new,) = inside.ok(*supersede, "--next-agent-todo", "The same in other words")["successors"]
    assert inside.ok("todo", "show", new)["todo"]["required_decision_scopes"] == [scope]
