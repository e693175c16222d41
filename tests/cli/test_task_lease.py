"""Leases: half-open, with versions that only rise, and a token without which nothing under them changes."""

from __future__ import annotations

from typing import Any

import pytest

from loopx.core.instant import HOUR, MINUTE
from tests.support.cli import Loopx
from tests.support.fakes import FakeClock
from tests.support.lab import add, add_gate, finish, lease, show, start_lab


@pytest.fixture
def lab(inside: Loopx) -> Loopx:
    return start_lab(inside)


def acquire(todo: str, agent: str = "ann", *more: str) -> tuple[str, ...]:
    return ("task-lease", "acquire", "--todo-id", todo, "--agent-id", agent, *more)


def step(
    verb: str, held: dict[str, Any], *more: str, agent: str = "ann", version: int | None = None
) -> tuple[str, ...]:
    expected = str(held["version"] if version is None else version)
    return (
        "task-lease",
        verb,
        "--lease-id",
        held["lease_id"],
        "--agent-id",
        agent,
        "--expect-version",
        expected,
        *more,
    )


# --- taking one ------------------------------------------------------------------------------


def test_a_lease_says_who_holds_what_until_when(lab: Loopx) -> None:
    todo = add(lab, "work")
    document = lab.ok(*acquire(todo, "ann", "--ttl", "10m"))
    held = document["lease"]
    assert document["schema_version"] == "task_lease_v0"
    assert (held["todo_id"], held["holder"], held["version"]) == (todo, "ann", 1)
    assert (held["acquired_at"], held["expires_at"]) == ("2026-01-01T00:00:00Z", "2026-01-01T00:10:00Z")
    assert held["claim_token"]


def test_a_lease_lasts_a_quarter_of_an_hour_where_nothing_is_said(lab: Loopx) -> None:
    assert lease(lab, add(lab, "work"))["expires_at"] == "2026-01-01T00:15:00Z"


def test_a_lease_claims_nothing_softly(lab: Loopx) -> None:
    todo = add(lab, "work")
    lease(lab, todo)
    assert show(lab, todo)["claimed_by"] is None
    assert show(lab, todo)["lease"]["holder"] == "ann"


def test_nobody_takes_what_is_under_a_live_lease(lab: Loopx, clock: FakeClock) -> None:
    todo = add(lab, "work")
    lease(lab, todo, "ann", "--ttl", "1h")
    for agent in ("bob", "ann"):  # a name is not a session
        refusal = lab.refused(*acquire(todo, agent), code="lease_conflict", exit_code=4)
        assert refusal.error["details"]["holder"] == "ann"
    clock.advance(HOUR - 1)
    lab.refused(*acquire(todo, "bob"), code="lease_conflict")
    clock.advance(1)
    assert lease(lab, todo, "bob")["version"] == 2


def test_a_retry_of_an_acquisition_is_the_same_lease(lab: Loopx) -> None:
    argv = acquire(add(lab, "work"), "ann", "--operation-id", "op-1")
    one, again = lab.ok(*argv), lab.ok(*argv)
    assert again["lease"] == one["lease"]
    assert again["receipt"]["replayed"] is True


def test_a_soft_claim_of_another_keeps_a_lease_away_until_it_is_stale(lab: Loopx, clock: FakeClock) -> None:
    todo = add(lab, "work")
    lab.ok("todo", "claim", todo, "--claimed-by", "bob", "--ttl", "1h")
    assert lab.refused(*acquire(todo), code="lease_conflict").error["details"]["holder"] == "bob"
    clock.advance(HOUR)
    lease(lab, todo)


def test_a_lease_of_another_keeps_a_soft_claim_away(lab: Loopx) -> None:
    todo = add(lab, "work")
    lease(lab, todo)
    lab.refused("todo", "claim", todo, "--claimed-by", "bob", code="lease_conflict", exit_code=4)
    lab.ok("todo", "claim", todo, "--claimed-by", "ann")


def test_what_may_not_start_is_not_leased(lab: Loopx) -> None:
    first = add(lab, "first")
    gated = add(lab, "gated", "--required-decision-scope", "direction:action:x")
    gate = add_gate(lab, "direction:action:x", "--blocks-agent", "ann", "--unblocks-todo-id", gated)
    lab.refused(*acquire(gated), code="gate_open", exit_code=3)
    lab.refused(*acquire(add(lab, "waits", "--blocked-by", first)), code="todo_blocked", exit_code=3)
    lab.refused(*acquire(add(lab, "stuck", "--status", "blocked", "--reason", "x")), code="todo_not_open")
    lab.refused(*acquire(add(lab, "x", "--excluded-agent", "ann")), code="agent_excluded")
    lab.refused(*acquire(add(lab, "x", "--bound-agent", "bob")), code="agent_bound")
    lab.refused(*acquire(gate), code="todo_invalid")
    finish(lab, first)
    lab.refused(*acquire(first), code="already_done", exit_code=4)
    lab.refused(*acquire("todo_zzzzzzzzzz"), code="todo_not_found", exit_code=7)
    assert lab.ok("task-lease", "list")["total"] == 0


def test_a_lease_is_an_agents(lab: Loopx) -> None:
    todo = add(lab, "work")
    lab.refused("task-lease", "acquire", todo, code="actor_required", exit_code=3)
    lab.refused(*acquire(todo, "mallory"), code="agent_not_registered", exit_code=7)
    lab.ok("agent", "retire", "--agent-id", "bob")
    lab.refused(*acquire(todo, "bob"), code="agent_not_registered", exit_code=7)


@pytest.mark.parametrize("ttl", ["0s", "-1m", "NaN", "367d", "15", "1.5h"])
def test_a_lease_is_neither_born_expired_nor_endless(lab: Loopx, ttl: str) -> None:
    lab.refused(*acquire(add(lab, "work"), "ann", "--ttl", ttl), code="usage", exit_code=2)


# --- the token ---------------------------------------------------------------------------------


def test_only_acquiring_and_renewing_show_the_token_to_the_holder(lab: Loopx) -> None:
    todo = add(lab, "work")
    held = lease(lab, todo)
    token = held["claim_token"]
    renewed = lab.ok(*step("renew", held))["lease"]
    assert renewed["claim_token"] == token
    moved = lab.ok(*step("transfer", renewed, "--to", "bob"))
    assert "claim_token" not in moved["lease"]
    answers = [
        lab.ok("task-lease", "show", todo),
        lab.ok("task-lease", "show", "--lease-id", held["lease_id"]),
        lab.ok("task-lease", "list"),
        lab.ok("todo", "show", todo),
        lab.ok("todo", "list", "--full"),
        lab.ok("status"),
    ]
    new = lab.ok(*step("renew", moved["lease"], agent="bob"))["lease"]["claim_token"]
    assert token not in str(answers)
    assert new not in str(answers)
    assert new != token


CHANGES = [
    ("complete", "--claimed-by", "ann", "--evidence", "x", "--no-follow-up"),
    ("update", "--agent-id", "ann", "--action-kind", "review"),
    ("release", "--agent-id", "ann"),
    ("supersede", "--agent-id", "ann", "--reason", "x", "--no-replacement"),
    ("defer", "--agent-id", "ann", "--resume-when", "in:1h"),
    ("block", "--agent-id", "ann", "--reason", "x"),
    ("reassign", "--agent-id", "ann", "--claimed-by", "bob"),
]


@pytest.mark.parametrize("verb", CHANGES)
def test_every_change_of_leased_work_needs_its_token(lab: Loopx, clock: FakeClock, verb: tuple[str, ...]) -> None:
    todo = add(lab, "work")
    held = lease(lab, todo, "ann", "--ttl", "1h")
    argv = ("todo", verb[0], todo, *verb[1:])
    lab.refused(*argv, code="claim_token_required", exit_code=3)
    lab.refused(*argv, "--claim-token", "no such token", code="claim_mismatch", exit_code=4)
    other = lease(lab, add(lab, "other"))["claim_token"]
    lab.refused(*argv, "--claim-token", other, code="claim_mismatch")
    clock.advance(HOUR)
    lab.refused(*argv, code="lease_expired", exit_code=3)
    lab.refused(*argv, "--claim-token", held["claim_token"], code="lease_expired")
    clock.advance(-1)  # the refused calls have stored the end, so the clock cannot take it back
    lab.refused(*argv, "--claim-token", held["claim_token"], code="lease_expired")


@pytest.mark.parametrize("verb", CHANGES)
def test_the_token_of_a_live_lease_opens_every_change(lab: Loopx, clock: FakeClock, verb: tuple[str, ...]) -> None:
    todo = add(lab, "work")
    held = lease(lab, todo, "ann", "--ttl", "1h")
    clock.advance(HOUR - 1)
    lab.ok("todo", verb[0], todo, *verb[1:], "--claim-token", held["claim_token"])


def test_a_token_is_its_holders(lab: Loopx) -> None:
    todo = add(lab, "work")
    token = lease(lab, todo)["claim_token"]
    argv = ("todo", "complete", todo, "--claimed-by", "bob", "--evidence", "x", "--claim-token", token)
    lab.refused(*argv, code="claim_mismatch", exit_code=4)


def test_an_explicit_release_leaves_its_holder_free_to_go_on(lab: Loopx) -> None:
    todo = add(lab, "work")
    held = lease(lab, todo)
    lab.ok(*step("release", held))
    lab.refused(
        "todo", "update", todo, "--claim-token", held["claim_token"], "--action-kind", "x", code="lease_expired"
    )
    finish(lab, todo)


def test_who_lost_a_lease_claims_again_before_it_writes(lab: Loopx, clock: FakeClock) -> None:
    todo = add(lab, "work")
    lease(lab, todo, "ann", "--ttl", "1h")
    clock.advance(HOUR)
    update = ("todo", "update", todo, "--agent-id", "ann", "--action-kind", "x")
    lab.refused(*update, code="lease_expired")
    lab.ok("todo", "update", todo, "--agent-id", "bob", "--action-kind", "y")  # the others go on
    lab.refused(*update, code="lease_expired")
    lab.ok("todo", "claim", todo, "--claimed-by", "ann")
    lab.ok(*update)


# --- versions ----------------------------------------------------------------------------------


def test_versions_only_rise_across_renewal_release_expiry_and_completion(lab: Loopx, clock: FakeClock) -> None:
    todo = add(lab, "work")
    held = lease(lab, todo)
    seen = [held["version"]]
    for verb in ("renew", "renew", "release"):
        held = lab.ok(*step(verb, held))["lease"]
        seen.append(held["version"])
    again = lease(lab, todo, "bob", "--ttl", "1h")
    seen.append(again["version"])
    clock.advance(HOUR)
    seen.append(lease(lab, todo, "bob")["version"])
    assert seen == sorted(set(seen))


def test_a_version_that_is_gone_is_a_conflict(lab: Loopx) -> None:
    held = lease(lab, add(lab, "work"))
    lab.ok(*step("renew", held))
    for verb, more in (("renew", ()), ("transfer", ("--to", "bob")), ("release", ())):
        refusal = lab.refused(*step(verb, held, *more), code="version_conflict", exit_code=4)
        assert refusal.error["details"]["version"] == 2
    fence = ("--lease-id", held["lease_id"], "--agent-id", "ann")
    lab.refused("task-lease", "renew", *fence, code="usage", exit_code=2)


def test_a_lease_is_moved_by_its_holder(lab: Loopx) -> None:
    held = lease(lab, add(lab, "work"))
    for verb, more in (("renew", ()), ("transfer", ("--to", "bob")), ("release", ())):
        lab.refused(*step(verb, held, *more, agent="bob"), code="claim_mismatch", exit_code=4)
    lab.refused("task-lease", "release", "--lease-id", held["lease_id"], "--expect-version", "1", code="actor_required")
    nobodys = ("--lease-id", "lease_zzzzzzzzzz", "--agent-id", "ann", "--expect-version", "1")
    lab.refused("task-lease", "renew", *nobodys, code="lease_not_found", exit_code=7)


# --- renewing: the heartbeat ---------------------------------------------------------------------


def test_renewing_counts_from_now(lab: Loopx, clock: FakeClock) -> None:
    held = lease(lab, add(lab, "work"), "ann", "--ttl", "10m")
    clock.advance(9 * MINUTE)
    renewed = lab.ok(*step("renew", held, "--ttl", "20m"))["lease"]
    assert renewed["expires_at"] == "2026-01-01T00:29:00Z"
    assert renewed["acquired_at"] == held["acquired_at"]


def test_renewing_again_and_again_does_not_lengthen_the_lease(lab: Loopx, clock: FakeClock) -> None:
    held = lease(lab, add(lab, "work"))
    for _ in range(4):
        clock.advance(5 * MINUTE)
        held = lab.ok(*step("renew", held))["lease"]
    assert held["expires_at"] == "2026-01-01T00:35:00Z"


def test_at_the_very_instant_of_expiry_there_is_nothing_to_renew(lab: Loopx, clock: FakeClock) -> None:
    held = lease(lab, add(lab, "work"), "ann", "--ttl", "10m")
    clock.advance(10 * MINUTE)
    lab.refused(*step("renew", held), code="lease_expired", exit_code=3)


def test_a_clock_that_steps_back_never_extends_a_lease_by_itself(lab: Loopx, clock: FakeClock) -> None:
    held = lease(lab, add(lab, "work"), "ann", "--ttl", "10m")
    clock.advance(-HOUR)
    assert lab.ok("task-lease", "show", "--lease-id", held["lease_id"])["lease"]["expires_at"] == held["expires_at"]
    renewed = lab.ok(*step("renew", held, "--ttl", "10m"))["lease"]
    assert renewed["expires_at"] == "2025-12-31T23:10:00Z"
    assert renewed["acquired_at"] <= renewed["expires_at"]


def test_the_heartbeat_tells_that_the_work_was_settled_or_taken(lab: Loopx, clock: FakeClock) -> None:
    settled, lost, released = add(lab, "settled"), add(lab, "lost"), add(lab, "released")
    held = {todo: lease(lab, todo, "ann", "--ttl", "1h") for todo in (settled, lost, released)}
    lab.ok("todo", "supersede", settled, "--as-user", "--reason", "changed my mind", "--no-replacement")
    lab.refused(*step("renew", held[settled]), code="already_done", exit_code=4)
    lab.ok(*step("release", held[released]))
    lab.refused(*step("renew", held[released]), code="lease_expired")
    clock.advance(HOUR)
    lease(lab, lost, "bob")
    lab.refused(*step("renew", held[lost]), code="lease_expired", exit_code=3)


# --- handing it on -------------------------------------------------------------------------------


def test_a_transfer_keeps_the_time_that_is_left_unless_one_is_given(lab: Loopx, clock: FakeClock) -> None:
    held = lease(lab, add(lab, "work"), "ann", "--ttl", "1h")
    clock.advance(10 * MINUTE)
    moved = lab.ok(*step("transfer", held, "--to", "bob"))["lease"]
    assert (moved["holder"], moved["version"], moved["expires_at"]) == ("bob", 2, held["expires_at"])
    back = lab.ok(*step("transfer", moved, "--to", "ann", "--ttl", "30m", agent="bob"))["lease"]
    assert back["expires_at"] == "2026-01-01T00:40:00Z"


def test_a_transfer_ends_the_old_token_and_moves_the_soft_claim(lab: Loopx) -> None:
    todo = add(lab, "work", "--claimed-by", "ann")
    held = lease(lab, todo)
    moved = lab.ok(*step("transfer", held, "--to", "bob"))["lease"]
    argv = ("todo", "complete", todo, "--claimed-by", "ann", "--evidence", "x", "--claim-token", held["claim_token"])
    lab.refused(*argv, code="lease_expired")
    assert show(lab, todo)["claimed_by"] == "bob"
    token = lab.ok(*step("renew", moved, agent="bob"))["lease"]["claim_token"]
    finish(lab, todo, "bob", "--claim-token", token)


def test_a_lease_is_not_handed_to_who_may_not_work(lab: Loopx) -> None:
    held = lease(lab, add(lab, "work", "--excluded-agent", "bob"))
    lab.refused(*step("transfer", held, "--to", "bob"), code="agent_excluded", exit_code=3)
    lab.refused(*step("transfer", held, "--to", "mallory"), code="agent_not_registered", exit_code=7)


# --- paths ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "meet"),
    [
        ("src/**", "src/core/*", True),
        ("./src/**", "src/a.py", True),
        ("src", "src/core/a.py", True),  # a folder covers what is in it
        ("src/**/*.py", "src/core/*", True),
        ("src/*.py", "src/*.md", False),
        ("src/**", "docs/**", False),
        ("src/[ab].py", "src/b*", True),
    ],
)
def test_two_leases_meet_where_one_path_could_match_both(lab: Loopx, one: str, other: str, meet: bool) -> None:
    lease(lab, add(lab, "one"), "ann", "--write-scope", one)
    argv = acquire(add(lab, "other"), "bob", "--write-scope", other)
    if meet:
        lab.refused(*argv, code="lease_scope_conflict", exit_code=4)
    else:
        lab.ok(*argv)


@pytest.mark.parametrize(
    ("one", "other", "meet"),
    [("git:h/o/a", "git:h/o/a", True), ("git:h/o/a", "git:h/o/b", False), ("git:h/o/a", None, True)],
)
def test_paths_of_different_repositories_do_not_meet(lab: Loopx, one: str, other: str | None, meet: bool) -> None:
    lease(lab, add(lab, "one"), "ann", "--write-scope", "src/**", "--task-repository", one)
    named = () if other is None else ("--task-repository", other)
    argv = acquire(add(lab, "other"), "bob", "--write-scope", "src/a", *named)
    if meet:
        lab.refused(*argv, code="lease_scope_conflict")
    else:
        lab.ok(*argv)


def test_without_a_scope_a_lease_takes_the_todos_own(lab: Loopx) -> None:
    todo = add(lab, "one", "--required-write-scope", "src/**", "--task-repository", "git:h/o/a")
    held = lease(lab, todo)
    assert (held["write_scopes"], held["task_repository"]) == (["src/**"], "git:h/o/a")
    lab.refused(*acquire(add(lab, "other"), "bob", "--write-scope", "src/x"), code="lease_scope_conflict")


@pytest.mark.parametrize("scope", ["../x", "/etc/**", "~/x", "C:/x", "!src/**", "a/../../b", ""])
def test_a_scope_outside_of_the_repository_is_refused_never_dropped(lab: Loopx, scope: str) -> None:
    argv = acquire(add(lab, "one"), "ann", "--write-scope", scope)
    lab.refused(*argv, code="write_scope_invalid", exit_code=3)


def test_paths_are_free_from_the_instant_of_expiry_on(lab: Loopx, clock: FakeClock) -> None:
    lease(lab, add(lab, "one"), "ann", "--write-scope", "src/**", "--ttl", "1h")
    argv = acquire(add(lab, "other"), "bob", "--write-scope", "src/**")
    clock.advance(HOUR - 1)
    lab.refused(*argv, code="lease_scope_conflict")
    clock.advance(1)
    lab.ok(*argv)


# --- looking ---------------------------------------------------------------------------------------


def test_only_live_leases_are_shown(lab: Loopx, clock: FakeClock) -> None:
    todos = [add(lab, f"work {number}") for number in range(3)]
    held = [lease(lab, todo, "ann", "--ttl", f"{number + 1}h") for number, todo in enumerate(todos)]
    first = lab.ok("task-lease", "list", "--limit", "2")
    assert [row["todo_id"] for row in first["leases"]] == todos[:2]
    assert (first["total"], first["truncated"]) == (3, True)
    rest = lab.ok("task-lease", "list", "--cursor", first["next_cursor"])
    assert [row["todo_id"] for row in rest["leases"]] == todos[2:]
    clock.advance(HOUR)
    assert lab.ok("task-lease", "list", "--goal-id", "lab")["total"] == 2
    lab.refused("task-lease", "show", "--lease-id", held[0]["lease_id"], code="lease_not_found", exit_code=7)
    lab.refused("task-lease", "show", todos[0], code="lease_not_found")
    lab.refused("task-lease", "show", code="usage", exit_code=2)
    both = ("--lease-id", held[1]["lease_id"], "--todo-id", todos[1])
    lab.refused("task-lease", "show", *both, code="usage")
    assert lab.ok("task-lease", "show", "--todo-id", todos[1])["lease"]["lease_id"] == held[1]["lease_id"]


def test_a_lease_is_no_decision_and_a_decision_no_lease(lab: Loopx) -> None:
    """W5.2: claiming, asking and looking never acquire one."""
    todo = add(lab, "work")
    lab.ok("todo", "claim", todo, "--claimed-by", "ann")
    lab.ok("quota", "should-run", "--agent-id", "ann")
    lab.ok("todo", "why", todo, "--agent-id", "ann")
    assert lab.ok("task-lease", "list")["leases"] == []
