"""The ledger: one slot for a validated run, once, by its agent, from its place; and when a budget is free again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from loopx.core.instant import HOUR, MINUTE, SECOND
from tests.support.cli import Loopx
from tests.support.fakes import FakeClock
from tests.support.git import new_repository, new_worktree
from tests.support.lab import add, add_monitor, ask, claim_next, mode, start_lab

REPOSITORY = "git:example.org/team/repo"


@pytest.fixture
def lab(inside: Loopx) -> Loopx:
    return start_lab(inside)


def record(lab: Loopx, *more: str, agent: str = "ann", kind: str = "work", **ways: Any) -> str:
    """A run's id; of its own todo where none is named, validated where it is work."""
    named = () if "--todo-id" in more else ("--todo-id", add(lab, "work"))
    checked = ("--validation", "make test") if kind == "work" else ()
    argv = ("refresh-state", "--agent-id", agent, "--run-kind", kind, "--evidence", "seen", *checked, *named, *more)
    return str(lab.ok(*argv, **ways)["run"]["run_id"])


def spend(run: str, *more: str, agent: str = "ann") -> tuple[str, ...]:
    return ("quota", "spend-slot", "--agent-id", agent, "--run-id", run, *more)


def budget(lab: Loopx, *limits: str) -> None:
    lab.ok("goal", "update", *limits)


def used(lab: Loopx) -> dict[str, Any]:
    (quota,) = lab.ok("quota", "status")["quota"]
    amounts = quota["used"]
    assert isinstance(amounts, dict)
    return amounts


# --- what may be spent -----------------------------------------------------------------------


def test_a_validated_run_is_spent_with_what_it_cost(lab: Loopx, clock: FakeClock) -> None:
    run = record(lab)
    clock.advance(MINUTE)
    document = lab.ok(*spend(run, "--tokens", "1200", "--cost", "0.25", "--seconds", "93.5"))
    assert document["spend"] == {
        "run_id": run,
        "goal_id": "lab",
        "agent_id": "ann",
        "slots": 1,
        "tokens": 1200,
        "cost": 0.25,
        "seconds": 93.5,
        "spent_at": "2026-01-01T00:01:00Z",
    }
    assert document["quota"]["used"] == {"slots": 1, "tokens": 1200, "cost": 0.25, "seconds": 93.5}


def test_a_run_is_spent_once(lab: Loopx) -> None:
    run = record(lab)
    lab.ok(*spend(run))
    lab.refused(*spend(run, "--tokens", "5"), code="spend_already_recorded", exit_code=3)
    assert used(lab)["slots"] == 1


def test_a_retry_of_a_spend_is_the_same_spend(lab: Loopx) -> None:
    argv = spend(record(lab), "--operation-id", "op-1")
    first, second = lab.ok(*argv), lab.ok(*argv)
    assert second["receipt"]["replayed"] is True
    assert second["spend"] == first["spend"]
    assert used(lab)["slots"] == 1


def test_a_dry_run_spends_nothing(lab: Loopx) -> None:
    run = record(lab)
    document = lab.ok(*spend(run, "--dry-run"))
    assert (document["dry_run"], document["quota"]["used"]["slots"]) == (True, 1)
    assert used(lab)["slots"] == 0
    lab.ok(*spend(run))


def test_a_look_at_the_state_and_unchecked_work_are_not_spent(lab: Loopx) -> None:
    lab.refused(*spend(record(lab, kind="status")), code="run_not_validated", exit_code=3)
    argv = ("refresh-state", add(lab, "work"), "--agent-id", "ann", "--run-kind", "work", "--evidence", "seen")
    lab.refused(*spend(lab.ok(*argv)["run"]["run_id"]), code="run_not_validated")
    assert used(lab)["slots"] == 0


def test_a_run_is_spent_by_its_agent(lab: Loopx) -> None:
    run = record(lab)
    refusal = lab.refused(*spend(run, agent="bob"), code="not_claim_owner", exit_code=3)
    assert refusal.error["details"]["holder"] == "ann"
    lab.refused("quota", "spend-slot", "--run-id", run, code="actor_required")
    lab.refused(*spend(run), env={"LOOPX_AGENT_ID": "bob", "LOOPX_IDENTITY": "fixed"}, code="identity_mismatch")
    assert used(lab)["slots"] == 0


def test_a_run_that_does_not_exist_is_not_found(lab: Loopx) -> None:
    lab.refused(*spend("run_zzzzzzzzzz"), code="run_not_found", exit_code=7)


def test_a_run_belongs_to_its_goal(lab: Loopx) -> None:
    run = record(lab)
    lab.ok("goal", "add", "--goal-id", "other", "--objective", "Else", "--agent", "ann")
    lab.refused(*spend(run, "--goal-id", "other"), code="usage", exit_code=2)
    lab.ok(*spend(run))  # without a goal, the run's own is meant


@pytest.mark.parametrize(
    "amount",
    [
        ("--tokens", "-1"),
        ("--tokens", "1.5"),
        ("--tokens", "1e3"),
        ("--cost", "-0.01"),
        ("--cost", "nan"),
        ("--cost", "inf"),
        ("--seconds", "NaN"),
        ("--seconds", "-1"),
        ("--tokens", "9" * 30),
    ],
)
def test_an_amount_without_meaning_is_refused(lab: Loopx, amount: tuple[str, str]) -> None:
    lab.refused(*spend(record(lab), *amount), code="usage", exit_code=2)
    assert used(lab) == {"slots": 0, "tokens": 0, "cost": 0.0, "seconds": 0.0}


def test_a_run_is_spent_from_the_place_where_it_was_done(inside: Loopx, tmp_path: Path) -> None:
    main = new_repository(tmp_path / "main", "https://example.org/team/repo")
    ann, bob = new_worktree(main, tmp_path / "ann", "ann"), new_worktree(main, tmp_path / "bob", "bob")
    other = new_repository(tmp_path / "other", "https://example.org/other/repo")
    inside.root = main
    lab = start_lab(inside)
    todo = add(lab, "write", "--task-repository", REPOSITORY, "--required-write-scope", "src/**")
    run = record(lab, "--todo-id", todo, cwd=ann)
    refusal = lab.refused(*spend(run), code="workspace_mismatch", exit_code=3)
    assert refusal.error["details"]["current_workspace"] == "canonical_checkout"
    assert refusal.error["details"]["recorded_workspace"] == "independent_git_worktree"
    lab.refused(*spend(run, "--workspace", str(other)), code="workspace_mismatch")
    lab.refused(*spend(run, "--workspace", str(tmp_path)), code="workspace_mismatch")
    lab.refused(*spend(run, "--workspace", str(tmp_path / "no such")), code="usage")
    assert used(lab)["slots"] == 0
    lab.ok(*spend(run, "--workspace", str(bob)))  # the identity is the repository and the kind of place


# --- what a budget does ------------------------------------------------------------------------


def test_the_last_slot_is_delivered_and_the_next_waits_for_the_window(lab: Loopx, clock: FakeClock) -> None:
    budget(lab, "--slots", "1", "--window", "24h")
    todo = add(lab, "work")
    assert mode(ask(lab)) == "bounded_delivery"
    lab.ok(*spend(record(lab, "--todo-id", todo)))
    packet = ask(lab)
    assert mode(packet) == "quota_wait"
    assert packet["should_run"] is False
    assert packet["scheduler_hint"]["resets_at"] == "2026-01-02T00:00:00Z"
    assert packet["scheduler_hint"]["next_wake_at"] == "2026-01-02T00:00:00Z"
    assert claim_next(lab)["claim"] is None
    clock.advance(24 * HOUR - 1)
    assert mode(ask(lab)) == "quota_wait"
    clock.advance(1)
    assert mode(ask(lab)) == "bounded_delivery"


def test_the_window_rolls_so_that_each_slot_comes_back_by_itself(lab: Loopx, clock: FakeClock) -> None:
    budget(lab, "--slots", "2", "--window", "2h")
    todo = add(lab, "work")
    lab.ok(*spend(record(lab, "--todo-id", todo)))
    clock.advance(HOUR)
    lab.ok(*spend(record(lab, "--todo-id", todo)))
    assert ask(lab)["scheduler_hint"]["resets_at"] == "2026-01-01T02:00:00Z"
    clock.advance(HOUR)
    assert used(lab)["slots"] == 1
    assert mode(ask(lab)) == "bounded_delivery"
    lab.ok(*spend(record(lab, "--todo-id", todo)))
    assert ask(lab)["scheduler_hint"]["resets_at"] == "2026-01-01T03:00:00Z"


def test_no_slot_at_all_waits_for_a_person_and_not_for_a_window(lab: Loopx) -> None:
    budget(lab, "--slots", "0", "--window", "24h")
    add(lab, "work")
    packet = ask(lab)
    assert mode(packet) == "quota_wait"
    assert packet["scheduler_hint"]["next_wake_at"] is None
    assert packet["scheduler_hint"]["cadence"] == "on_event"
    budget(lab, "--slots", "1")
    assert mode(ask(lab)) == "bounded_delivery"


@pytest.mark.parametrize(
    ("limit", "amount", "reason"),
    [
        (("--tokens", "1000"), ("--tokens", "1000"), "tokens_used"),
        (("--cost", "2.5"), ("--cost", "2.5"), "cost_used"),
        (("--tokens", "1000"), ("--tokens", "2000"), "tokens_used"),
        (("--tokens", "0"), (), "tokens_used"),
        (("--cost", "0"), (), "cost_used"),
    ],
)
def test_tokens_and_cost_are_budgets_too(
    lab: Loopx, limit: tuple[str, ...], amount: tuple[str, ...], reason: str
) -> None:
    budget(lab, *limit, "--window", "1h")
    todo = add(lab, "work")
    lab.ok(*spend(record(lab, "--todo-id", todo), *amount))
    packet = ask(lab)
    assert mode(packet) == "quota_wait"
    (row,) = packet["interaction_contract"]["agent_channel"]["blocking"]
    assert (row["todo_id"], row["reason_code"]) == (todo, reason)


def test_a_budget_that_is_not_quite_used_delivers(lab: Loopx) -> None:
    budget(lab, "--tokens", "1000", "--window", "1h")
    lab.ok(*spend(record(lab), "--tokens", "999"))
    assert mode(ask(lab)) == "bounded_delivery"


def test_without_a_window_what_is_spent_never_comes_back(lab: Loopx, clock: FakeClock) -> None:
    budget(lab, "--slots", "1")
    lab.ok(*spend(record(lab)))
    clock.advance(300 * 24 * HOUR)
    packet = ask(lab)
    assert mode(packet) == "quota_wait"
    assert packet["scheduler_hint"]["next_wake_at"] is None


def test_a_poll_costs_nothing(lab: Loopx, clock: FakeClock) -> None:
    budget(lab, "--slots", "0", "--window", "24h")
    add(lab, "[P0] work")
    add_monitor(lab)
    clock.advance(HOUR)
    assert mode(ask(lab)) == "monitor_poll"


def test_a_slot_of_one_goal_is_none_of_another(lab: Loopx) -> None:
    budget(lab, "--slots", "1", "--window", "1h")
    lab.ok(*spend(record(lab)))
    lab.ok("goal", "add", "--goal-id", "other", "--objective", "Else", "--agent", "ann")
    lab.ok("goal", "update", "--goal-id", "other", "--slots", "1", "--window", "1h")
    lab.ok("todo", "add", "--goal-id", "other", "--text", "work")
    assert mode(lab.ok("quota", "should-run", "--goal-id", "other", "--agent-id", "ann")) == "bounded_delivery"
    assert mode(ask(lab)) == "quota_wait"


def test_a_clock_that_steps_back_gives_no_slot_back(lab: Loopx, clock: FakeClock) -> None:
    budget(lab, "--slots", "1", "--window", "1h")
    lab.ok(*spend(record(lab)))
    clock.advance(-3 * HOUR)
    assert mode(ask(lab)) == "quota_wait"
    clock.advance(4 * HOUR - SECOND)
    assert mode(ask(lab)) == "quota_wait"
    clock.advance(SECOND)
    assert mode(ask(lab)) == "bounded_delivery"
