"""Claim-next: the first ready todo in one order, for exactly one worker, and an honest answer where there is none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from loopx.core.instant import DAY, HOUR, MINUTE
from tests.support.cli import Loopx
from tests.support.fakes import FakeClock, SequenceTokens
from tests.support.git import new_repository, new_worktree
from tests.support.lab import (
    add,
    add_gate,
    add_monitor,
    ask,
    claim_next,
    finish,
    lease,
    mode,
    show,
    start_lab,
)

REPOSITORY = "git:example.org/team/repo"


@pytest.fixture
def lab(inside: Loopx) -> Loopx:
    return start_lab(inside)


def taken(lab: Loopx, agent: str = "ann", *more: str) -> str:
    """The id of what claim-next gives."""
    claim = claim_next(lab, agent, *more)["claim"]
    assert claim is not None
    return str(claim["task"]["id"])


def nothing(lab: Loopx, agent: str = "ann", *more: str) -> dict[str, Any]:
    """The answer where there is nothing to take."""
    answer = claim_next(lab, agent, *more)
    assert (answer["claim"], answer["receipt"]) == (None, None)
    assert answer["reason"]
    return answer


def skipped(answer: dict[str, Any]) -> list[tuple[str, str]]:
    return [(row["todo_id"], row["reason_code"]) for row in answer["skipped"]]


# --- what it gives ---------------------------------------------------------------------------


def test_a_claim_is_the_task_its_token_and_its_end(lab: Loopx, clock: FakeClock) -> None:
    first = add(lab, "first")
    todo = add(lab, "[P0] Parse\nthe corpus\nby lines", "--blocked-by", first)
    finish(lab, first)
    answer = claim_next(lab, "ann", "--lease-ttl", "10m")
    claim = answer["claim"]
    assert claim["task"] == {
        "id": todo,
        "subject": "[P0] Parse",
        "description": "the corpus\nby lines",
        "status": "in_progress",
        "owner": "ann",
        "blocked_by": [first],
    }
    assert claim["lease_expires_at_utc"] == "2026-01-01T00:10:00Z"
    assert claim["lease"]["holder"] == "ann"
    assert "claim_token" not in claim["lease"]
    assert (answer["reason"], answer["skipped"]) == (None, [])
    assert f"--claim-token {claim['claim_token']}" in answer["receipt"]["next_command"]
    assert show(lab, todo)["claimed_by"] == "ann"


def test_an_answer_is_small_whatever_the_todo_writes(inside: Loopx) -> None:
    lab = start_lab(inside, "ann")
    add(lab, "[P0] " + "é" * 60 + "\n" + "ü" * 60, *(f"--required-write-scope=src/{n}/**" for n in range(50)))
    answer = lab.call("todo", "claim-next", "--agent-id", "ann")
    assert len(answer.out.encode()) <= 1_200  # compact, as it is printed into a pipe


def test_priority_then_creation_decides_and_the_callers_own_comes_first(lab: Loopx) -> None:
    late, first = add(lab, "late"), add(lab, "[P1] first")
    mine = add(lab, "[P1] mine", "--claimed-by", "ann")
    second = add(lab, "[P1] second")
    assert [taken(lab) for _ in range(4)] == [mine, first, second, late]


def test_a_soft_claim_of_the_caller_is_no_lease_and_one_of_a_peer_is_kept(lab: Loopx) -> None:
    add(lab, "theirs", "--claimed-by", "bob")
    mine = add(lab, "mine", "--claimed-by", "ann")
    assert taken(lab) == mine
    assert skipped(nothing(lab)) != []


def test_what_is_leased_is_given_to_nobody_the_holder_included(lab: Loopx, clock: FakeClock) -> None:
    todo = add(lab, "only")
    assert taken(lab, "ann", "--lease-ttl", "10m") == todo
    assert "already" in nothing(lab, "ann")["reason"]
    assert nothing(lab, "bob")["mode"] == "wait_peers"
    clock.advance(10 * MINUTE - 1)
    nothing(lab, "bob")
    clock.advance(1)
    assert taken(lab, "bob") == todo


def test_expired_work_returns_to_pending_and_its_late_holder_is_refused(lab: Loopx, clock: FakeClock) -> None:
    todo = add(lab, "only")
    token = claim_next(lab, "ann", "--lease-ttl", "10m")["claim"]["claim_token"]
    clock.advance(10 * MINUTE)
    late = ("todo", "complete", todo, "--claimed-by", "ann", "--evidence", "late")
    whole = show(lab, todo)
    assert (whole["claim_stale"], whole["lease"], whole["attempts"]) == (True, None, 0)
    lab.refused(*late, "--claim-token", token, code="lease_expired", exit_code=3)
    whole = show(lab, todo)  # the next write, refused or not, stores what the read already showed
    assert (whole["claimed_by"], whole["attempts"], whole["last_holder"]) == (None, 1, "ann")
    lab.refused(*late, code="lease_expired")
    lab.ok("todo", "claim", todo, "--claimed-by", "bob")
    assert show(lab, todo)["claimed_by"] == "bob"


def test_a_clock_that_steps_forward_never_beats_the_token(lab: Loopx, clock: FakeClock) -> None:
    add(lab, "only")
    claim_next(lab, "ann", "--lease-ttl", "10m")
    clock.advance(HOUR)
    new = claim_next(lab, "bob", "--lease-ttl", "10m")["claim"]
    clock.advance(-HOUR)
    todo = new["task"]["id"]
    late = ("todo", "complete", todo, "--claimed-by", "ann", "--evidence", "late")
    lab.refused(*late, code="claim_token_required")
    lab.refused(*late, "--claim-token", "00000000-0000-4000-8000-000000000001", code="lease_expired")
    finish(lab, todo, "bob", "--claim-token", new["claim_token"])


def test_a_repeated_token_rolls_the_whole_claim_back(lab: Loopx, tokens: SequenceTokens) -> None:
    first, second = add(lab, "first"), add(lab, "second")
    assert taken(lab) == first
    tokens._count = 0
    answer = lab.call("todo", "claim-next", "--agent-id", "bob")
    assert answer.code != 0
    assert show(lab, second)["claimed_by"] is None
    assert lab.ok("log", "--action", "todo_claimed_next")["total"] == 1


def test_a_retry_of_the_same_operation_gives_the_same_claim(lab: Loopx) -> None:
    add(lab, "first")
    add(lab, "second")
    argv = ("todo", "claim-next", "--agent-id", "ann", "--operation-id", "op-1")
    one, again = lab.ok(*argv), lab.ok(*argv)
    assert again["receipt"]["replayed"] is True
    assert again["claim"] == one["claim"]
    lab.refused(*argv, "--lease-ttl", "1h", code="operation_conflict", exit_code=4)


def test_a_dry_run_claims_nothing(lab: Loopx) -> None:
    todo = add(lab, "only")
    answer = claim_next(lab, "ann", "--dry-run")
    assert (answer["dry_run"], answer["claim"]["task"]["id"]) == (True, todo)
    assert show(lab, todo)["claimed_by"] is None
    taken(lab)
    assert claim_next(lab, "ann", "--dry-run")["dry_run"] is True


def test_nothing_to_take_writes_nothing(lab: Loopx) -> None:
    before = lab.ok("log")["total"]
    nothing(lab)
    assert lab.ok("log")["total"] == before


def test_the_owner_is_who_calls(lab: Loopx) -> None:
    add(lab, "only")
    lab.refused("todo", "claim-next", code="actor_required", exit_code=3)
    lab.refused("todo", "claim-next", "--agent-id", "mallory", code="agent_not_registered", exit_code=7)
    fixed = {"LOOPX_AGENT_ID": "ann", "LOOPX_IDENTITY": "fixed"}
    lab.refused("todo", "claim-next", "--agent-id", "bob", env=fixed, code="identity_mismatch", exit_code=3)
    assert lab.ok("todo", "claim-next", env=fixed)["claim"]["task"]["owner"] == "ann"


@pytest.mark.parametrize("ttl", ["0s", "-5m", "367d", "15", "NaN", "1.5h", ""])
def test_a_lease_is_neither_born_expired_nor_endless(lab: Loopx, ttl: str) -> None:
    add(lab, "only")
    lab.refused("todo", "claim-next", "--agent-id", "ann", "--lease-ttl", ttl, code="usage", exit_code=2)


# --- what it does not give -------------------------------------------------------------------


def test_gated_work_is_skipped_and_independent_work_is_not(lab: Loopx) -> None:
    gated = add(lab, "[P0] gated", "--required-decision-scope", "direction:action:x")
    add_gate(lab, "direction:action:x", "--blocks-agent", "ann", "--unblocks-todo-id", gated)
    free = add(lab, "[P3] free")
    assert taken(lab) == free
    assert skipped(nothing(lab)) == [(gated, "gate_open")]


@pytest.mark.parametrize("reach", [("--global-gate",), ("--blocks-agent", "ann")])
def test_a_gate_on_everything_leaves_nothing(lab: Loopx, reach: tuple[str, ...]) -> None:
    add(lab, "work")
    gate = add_gate(lab, None, *reach)
    assert nothing(lab)["mode"] == "user_gate"
    lab.ok("gate", "answer", gate, "--decision", "approve")
    taken(lab)


def test_an_incomplete_gate_closes_delivery_until_it_is_mended(lab: Loopx) -> None:
    add(lab, "work")
    add_gate(lab, "direction:action:x")
    assert nothing(lab)["mode"] == "control_plane_self_repair"


def test_a_paused_goal_gives_nothing(lab: Loopx) -> None:
    todo = add(lab, "work")
    lab.ok("goal", "pause")
    assert nothing(lab)["mode"] == "paused"
    argv = ("task-lease", "acquire", todo, "--agent-id", "ann")
    lab.refused(*argv, code="goal_not_active", exit_code=3)
    lab.ok("goal", "resume")
    assert taken(lab) == todo


def test_a_missing_capability_is_named(lab: Loopx) -> None:
    tool = add(lab, "needs a browser", "--required-capability", "browser", "--required-capability", "shell")
    secret = add(lab, "needs a key", "--required-capability", "deploy_token")
    answer = nothing(lab, "ann", "--available-capability", "shell", "--available-capability", "deploy_token")
    assert answer["skipped"] == [
        {
            "todo_id": tool,
            "reason_code": "capability_missing",
            "missing": ["browser"],
            "next_command": answer["skipped"][0]["next_command"],
        },
        {
            "todo_id": secret,
            "reason_code": "authority_missing",
            "missing": ["deploy_token"],
            "next_command": answer["skipped"][1]["next_command"],
        },
    ]
    able = ("--available-capability", "shell", "--available-capability", "browser")
    assert taken(lab, "ann", *able) == tool


def test_what_was_skipped_is_bounded_with_its_total_beside_it(lab: Loopx) -> None:
    for number in range(7):
        add(lab, f"work {number}", "--required-capability", "browser")
    answer = nothing(lab, "ann", "--available-capability", "shell")
    assert (len(answer["skipped"]), answer["skipped_total"]) == (3, 7)


@pytest.mark.parametrize(
    ("more", "code"),
    [
        (("--excluded-agent", "ann"), "agent_excluded"),
        (("--bound-agent", "bob"), "bound_elsewhere"),
        (("--claimed-by", "bob"), "claimed_by_peer"),
        (("--status", "blocked", "--reason", "stuck"), "blocked"),
        (("--required-decision-scope", "direction:action:y"), "decision_scope_without_gate"),
    ],
)
def test_what_is_not_the_callers_is_skipped_with_its_reason(lab: Loopx, more: tuple[str, ...], code: str) -> None:
    todo = add(lab, "work", *more)
    assert skipped(nothing(lab)) == [(todo, code)]


def test_waiting_is_never_work(lab: Loopx, clock: FakeClock) -> None:
    add_monitor(lab)
    add(lab, "the mirror is down", "--task-class", "blocker", "--reason", "outage")
    add(lab, "act", "--role", "user")
    nothing(lab)
    clock.advance(HOUR)
    nothing(lab)


def test_a_monitor_that_nobody_polls_starves_no_worker(lab: Loopx, clock: FakeClock) -> None:
    """The decision may prefer a poll; who asks for work gets work."""
    work = add(lab, "[P2] work")
    monitor = add_monitor(lab, "--poll-every", "1h", "--priority", "P0")
    clock.advance(DAY)
    assert ask(lab)["selected_todo"]["todo_id"] == monitor
    assert taken(lab) == work


def test_many_blocked_urgent_ones_hide_no_ready_one(lab: Loopx) -> None:
    for number in range(60):
        add(lab, f"[P0] stuck {number}", "--required-decision-scope", f"direction:action:{number}")
    ready = add(lab, "[P4] ready")
    assert taken(lab) == ready


# --- where it writes -------------------------------------------------------------------------


def writing(lab: Loopx, text: str, scope: str) -> str:
    return add(lab, text, "--required-write-scope", scope)


def test_the_lease_holds_the_paths_that_the_todo_writes(inside: Loopx) -> None:
    lab = start_lab(inside, "ann")
    one = writing(lab, "one", "src/**")
    assert taken(lab) == one
    assert lab.ok("task-lease", "show", one)["lease"]["write_scopes"] == ["src/**"]
    other = writing(lab, "two", "src/core/*.py")
    argv = ("task-lease", "acquire", other, "--agent-id", "ann")
    lab.refused(*argv, code="lease_scope_conflict", exit_code=4)


def test_work_on_paths_that_are_held_is_skipped_for_work_on_others(inside: Loopx) -> None:
    lab = start_lab(inside, "ann")
    held, meets, free = (
        writing(lab, "one", "src/**"),
        writing(lab, "[P2] two", "src/core/*.py"),
        writing(lab, "[P3] three", "docs/**"),
    )
    assert taken(lab) == held
    assert taken(lab) == free
    answer = nothing(lab)
    assert skipped(answer)[0] == (meets, "lease_scope_conflict")
    assert held in answer["skipped"][0]["next_command"]
    assert "src/core/*.py" in answer["reason"]


def test_in_a_team_repository_work_is_given_to_who_stands_in_a_worktree(inside: Loopx, tmp_path: Path) -> None:
    main = new_repository(tmp_path / "main", "https://example.org/team/repo")
    own = new_worktree(main, tmp_path / "own")
    inside.root = main
    lab = start_lab(inside)
    todo = add(lab, "write", "--task-repository", REPOSITORY, "--required-write-scope", "src/**")
    assert nothing(lab)["mode"] == "workspace_repair"
    assert mode(ask(lab, "ann", cwd=own)) == "bounded_delivery"
    assert taken(lab, "ann", "--workspace", str(own)) == todo


def test_a_lease_that_ended_leaves_its_paths(inside: Loopx) -> None:
    lab = start_lab(inside, "ann")
    one, two = writing(lab, "one", "src/**"), writing(lab, "two", "src/*")
    token = lease(lab, one)["claim_token"]
    nothing(lab)
    finish(lab, one, "ann", "--claim-token", token)
    assert taken(lab) == two
