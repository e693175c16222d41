"""A late result is refused and kept as a note, never as the result (S4.11, docs/decisions/0011-attempt-notes.md)."""

from __future__ import annotations

from typing import Any

import pytest

from loopx.core.instant import MINUTE
from tests.support.cli import Answer, Loopx
from tests.support.fakes import FakeClock
from tests.support.lab import add, claim_next, finish, show, start_lab


@pytest.fixture
def lab(inside: Loopx) -> Loopx:
    return start_lab(inside, "ann", "bob", "cy")


def submit(todo: str, agent: str, token: str | None, *more: str, evidence: str = "late") -> tuple[str, ...]:
    shown = () if token is None else ("--claim-token", token)
    return ("todo", "complete", todo, "--claimed-by", agent, "--evidence", evidence, *shown, *more)


def notes(lab: Loopx, todo: str) -> list[dict[str, Any]]:
    events = lab.ok("log", "--todo-id", todo, "--action", "attempt_noted")["events"]
    assert isinstance(events, list)
    assert show(lab, todo)["attempt_notes"] == len(events)
    return [event["receipt"] for event in events]


def lost(lab: Loopx, clock: FakeClock) -> tuple[str, str]:
    """A todo whose lease ran out, and the dead token."""
    todo = add(lab, "work")
    token = claim_next(lab, "ann", "--lease-ttl", "10m")["claim"]["claim_token"]
    clock.advance(10 * MINUTE)
    return todo, token


def test_what_a_late_holder_submits_is_noted_and_changes_nothing(lab: Loopx, clock: FakeClock) -> None:
    todo, token = lost(lab, clock)
    refusal = lab.refused(*submit(todo, "ann", token), code="lease_expired", exit_code=3)
    assert notes(lab, todo) == [{"refused": "lease_expired", "evidence": "late"}]
    (event,) = lab.ok("log", "--todo-id", todo, "--action", "attempt_noted")["events"]
    assert (event["sequence"], event["actor"]) == (refusal.error["details"]["attempt_note"], "ann")
    assert (show(lab, todo)["status"], show(lab, todo)["evidence"]) == ("open", None)


def test_leaving_the_token_out_is_noted_as_well(lab: Loopx, clock: FakeClock) -> None:
    todo, _ = lost(lab, clock)
    lab.refused(*submit(todo, "ann", None), code="lease_expired")
    claim_next(lab, "bob")
    lab.refused(*submit(todo, "ann", None), code="claim_token_required")
    assert [note["refused"] for note in notes(lab, todo)] == ["lease_expired", "claim_token_required"]


def test_the_result_of_the_new_holder_stays_what_it_is(lab: Loopx, clock: FakeClock) -> None:
    todo, token = lost(lab, clock)
    new = claim_next(lab, "bob")["claim"]["claim_token"]
    finish(lab, todo, "bob", "--claim-token", new)
    stored = show(lab, todo)
    answer: Answer = lab.refused(*submit(todo, "ann", token), code="already_done", exit_code=4)
    assert answer.error["details"]["attempt_note"]
    assert {**show(lab, todo), "attempt_notes": 0} == {**stored, "attempt_notes": 0}
    assert notes(lab, todo) == [{"refused": "already_done", "evidence": "late"}]


def test_work_that_was_superseded_meanwhile_keeps_the_late_result(lab: Loopx, clock: FakeClock) -> None:
    todo, token = lost(lab, clock)
    lab.ok("todo", "supersede", todo, "--as-user", "--reason", "another way", "--no-replacement")
    lab.refused(*submit(todo, "ann", token), code="todo_not_open")
    assert len(notes(lab, todo)) == 1


def test_a_stranger_leaves_no_note(lab: Loopx, clock: FakeClock) -> None:
    todo, _ = lost(lab, clock)
    live = claim_next(lab, "cy")["claim"]["claim_token"]
    for token in (None, "00000000-0000-4000-8000-ffffffffffff", live):
        refusal = lab.refused(*submit(todo, "bob", token))
        assert "attempt_note" not in refusal.error["details"]
    assert notes(lab, todo) == []


def test_sending_the_stored_result_again_is_no_attempt(lab: Loopx) -> None:
    todo = add(lab, "work")
    token = claim_next(lab, "ann")["claim"]["claim_token"]
    argv = submit(todo, "ann", token, "--no-follow-up", evidence="the result")
    lab.ok(*argv)
    lab.refused(*argv, code="already_done")
    assert notes(lab, todo) == []


def test_a_retry_of_the_same_operation_is_noted_once(lab: Loopx, clock: FakeClock) -> None:
    todo, token = lost(lab, clock)
    for _ in range(2):
        lab.refused(*submit(todo, "ann", token, "--operation-id", "op-1"), code="lease_expired")
    assert [note["operation_id"] for note in notes(lab, todo)] == ["op-1"]


def test_a_dry_run_and_an_unstorable_text_leave_no_note(lab: Loopx, clock: FakeClock) -> None:
    todo, token = lost(lab, clock)
    lab.refused(*submit(todo, "ann", token, "--dry-run"), code="lease_expired")
    assert notes(lab, todo) == []
