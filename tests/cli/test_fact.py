"""Facts of the outside: told once with evidence, and what waits for them wakes in the same instant."""

from __future__ import annotations

import pytest

from loopx.core.instant import MINUTE
from tests.support.cli import Loopx
from tests.support.fakes import FakeClock
from tests.support.lab import add, ask, mode, show, start_lab


@pytest.fixture
def lab(inside: Loopx) -> Loopx:
    return start_lab(inside)


def record(fact: str, *more: str) -> tuple[str, ...]:
    return ("fact", "record", fact, "--evidence", "seen on the main branch", *more)


def test_a_fact_is_kept_with_who_saw_it_when_and_where(lab: Loopx, clock: FakeClock) -> None:
    clock.advance(MINUTE)
    document = lab.ok(*record("pr_merged:project#12", "--agent-id", "ann"))
    assert document["fact"] == {
        "fact": "pr_merged:project#12",
        "evidence": "seen on the main branch",
        "recorded_by": "ann",
        "recorded_at": "2026-01-01T00:01:00Z",
    }
    assert document["receipt"]["event"] == "fact_recorded"
    assert lab.ok("fact", "list")["facts"] == [document["fact"]]


def test_a_fact_of_a_person_says_so(lab: Loopx) -> None:
    assert lab.ok(*record("pr_merged:x"))["fact"]["recorded_by"] == "user"


def test_a_fact_wakes_exactly_what_waits_for_it(lab: Loopx) -> None:
    waiting = add(lab, "[P0] after the merge", "--status", "deferred", "--resume-when", "pr_merged:project#12")
    other = add(lab, "[P0] after another", "--status", "deferred", "--resume-when", "pr_merged:project#13")
    assert mode(ask(lab)) == "quiet_wait"
    lab.ok(*record("pr_merged:project#12"))
    assert ask(lab)["selected_todo"]["todo_id"] == waiting
    assert show(lab, other)["status"] == "deferred"


def test_a_fact_that_is_known_already_wakes_what_is_deferred_later(lab: Loopx) -> None:
    lab.ok(*record("pr_merged:project#12"))
    late = add(lab, "late", "--status", "deferred", "--resume-when", "pr_merged:project#12")
    assert ask(lab)["selected_todo"]["todo_id"] == late


@pytest.mark.parametrize("spelling", [" pr_merged:project#12 ", "pr_merged: project#12", "ｐｒ_merged:project#12"])
def test_a_fact_has_one_spelling(lab: Loopx, spelling: str) -> None:
    waiting = add(lab, "after", "--status", "deferred", "--resume-when", "pr_merged:project#12")
    assert lab.ok(*record(spelling))["fact"]["fact"] == "pr_merged:project#12"
    assert ask(lab)["selected_todo"]["todo_id"] == waiting


def test_a_reference_composed_or_not_is_the_same(lab: Loopx) -> None:
    waiting = add(lab, "after", "--status", "deferred", "--resume-when", "pr_merged:caf\u00e9#1")
    lab.ok(*record("pr_merged:cafe\u0301#1"))
    assert ask(lab)["selected_todo"]["todo_id"] == waiting


def test_facts_of_other_kinds_are_welcome(lab: Loopx) -> None:
    assert lab.ok(*record("release_published:v2"))["fact"]["fact"] == "release_published:v2"


@pytest.mark.parametrize(
    "fact",
    [
        "todo_done:todo_0000000001",  # told by completing it
        "capacity_available:gpu",  # told by the leases
        "at:2026-01-01T00:00:00Z",  # told by the clock
        "in:2h",
        "pr_merged:",
        "pr_merged",
        ":x",
        "pr_merged:two words",
        "pr merged:x",
        "pr_merged:" + "x" * 201,
    ],
)
def test_what_is_no_outside_fact_is_refused(lab: Loopx, fact: str) -> None:
    lab.refused(*record(fact), code="usage", exit_code=2)
    assert lab.ok("fact", "list")["facts"] == []


def test_a_fact_without_evidence_is_a_rumour(lab: Loopx) -> None:
    lab.refused("fact", "record", "pr_merged:x", code="evidence_required", exit_code=3)
    lab.refused("fact", "record", "pr_merged:x", "--evidence", "", code="usage")


def test_a_stranger_tells_no_facts(lab: Loopx) -> None:
    lab.refused(*record("pr_merged:x", "--agent-id", "mallory"), code="agent_not_registered", exit_code=7)


def test_a_fact_told_again_keeps_the_newest_evidence_and_the_history_both(lab: Loopx) -> None:
    lab.ok(*record("pr_merged:x"))
    lab.ok("fact", "record", "pr_merged:x", "--evidence", "seen again")
    (fact,) = lab.ok("fact", "list")["facts"]
    assert fact["evidence"] == "seen again"
    assert lab.ok("log", "--action", "fact_recorded")["total"] == 2


def test_a_retry_tells_a_fact_once(lab: Loopx) -> None:
    argv = record("pr_merged:x", "--operation-id", "op-1")
    assert lab.ok(*argv)["receipt"]["replayed"] is False
    assert lab.ok(*argv)["receipt"]["replayed"] is True
    lab.refused(*record("pr_merged:y", "--operation-id", "op-1"), code="operation_conflict", exit_code=4)


def test_a_dry_run_tells_nothing(lab: Loopx) -> None:
    waiting = add(lab, "after", "--status", "deferred", "--resume-when", "pr_merged:x")
    assert lab.ok(*record("pr_merged:x", "--dry-run"))["dry_run"] is True
    assert lab.ok("fact", "list")["total"] == 0
    assert mode(ask(lab)) == "quiet_wait"
    assert show(lab, waiting)["status"] == "deferred"


def test_facts_are_listed_by_name_a_page_at_a_time(lab: Loopx) -> None:
    for name in ("c", "a", "b"):
        lab.ok(*record(f"pr_merged:{name}"))
    first = lab.ok("fact", "list", "--limit", "2")
    assert [row["fact"] for row in first["facts"]] == ["pr_merged:a", "pr_merged:b"]
    assert (first["total"], first["truncated"]) == (3, True)
    rest = lab.ok("fact", "list", "--limit", "2", "--cursor", first["next_cursor"])
    assert [row["fact"] for row in rest["facts"]] == ["pr_merged:c"]
    assert (rest["truncated"], rest["next_cursor"]) == (False, None)
