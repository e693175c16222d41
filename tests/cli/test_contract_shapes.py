"""The shapes that callers rely on (`cli.md`): the keys of every answer, as a harness would read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.support.cli import Loopx


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


TODO_KEYS = words(
    "todo_id goal_id sequence role task_class status closure priority text action_kind suggested_peer"
    " completion_rationale attempts claimed_by claim_expires_at claim_stale lease blocked_by unmet_dependencies"
    " required_capabilities target_capability task_repository required_write_scopes required_decision_scopes"
    " decision_scope blocks_agent global_gate unblocks_todo_id decision excluded_agents bound_agent"
    " continuation_policy resume_when next_due_at poll_every_seconds consecutive_no_change predecessor successors"
    " superseded_by evidence no_followup created_at updated_at"
)
BRIEF_KEYS = words("todo_id goal_id sequence status closure task_class priority claimed_by claim_expires_at text")
RECEIPT_KEYS = words(
    "event sequence operation_id replayed mode authority_source authority_action authority_reason next_command"
)


@pytest.fixture
def project(inside: Loopx) -> Loopx:
    """A goal with two agents, asked inside this process."""
    inside.ok("init", "--goal-id", "g", "--objective", "Ship it", "--agent", "agent-a", "--agent", "agent-b")
    return inside


def add(project: Loopx, text: str, *options: str) -> str:
    todo_id = project.ok("todo", "add", "--text", text, *options)["todo"]["todo_id"]
    assert isinstance(todo_id, str)
    return todo_id


def keys(document: dict[str, Any]) -> set[str]:
    """The fields of a success beside those that every document has."""
    assert document["ok"] is True
    assert document["warnings"] == []
    return set(document) - {"schema_version", "ok", "warnings", "state"}


def test_a_shown_todo_has_every_field_that_is_promised(project: Loopx) -> None:
    todo = project.ok("todo", "show", add(project, "one"))["todo"]
    assert set(todo) >= TODO_KEYS


def test_a_mutation_answers_with_a_brief_todo_and_with_a_whole_one_on_request(project: Loopx) -> None:
    brief = project.ok("todo", "add", "--text", "one")
    whole = project.ok("todo", "add", "--text", "two", "--full")
    assert keys(brief) == {"todo", "receipt"}
    assert set(brief["todo"]) == BRIEF_KEYS
    assert set(whole["todo"]) >= TODO_KEYS


def test_every_verb_on_one_todo_answers_with_todo_and_receipt(project: Loopx) -> None:
    todo_id = add(project, "one")
    verbs = (
        ("update", "--priority", "P1"),
        ("claim", "--claimed-by", "agent-a"),
        ("release", "--agent-id", "agent-a"),
        ("reassign", "--claimed-by", "agent-b"),
        ("defer", "--resume-when", "in:2h", "--agent-id", "agent-b"),
        ("reopen", "--agent-id", "agent-b"),
        ("block", "--reason", "waits", "--agent-id", "agent-b"),
    )
    for verb, *options in verbs:
        answer = project.ok("todo", verb, todo_id, *options)
        assert keys(answer) == {"todo", "receipt"}, verb
        assert set(answer["receipt"]) == RECEIPT_KEYS, verb


@pytest.mark.parametrize("view", [("todo", "list"), ("gate", "list"), ("inbox",)])
def test_lists_are_bounded_pages(project: Loopx, view: tuple[str, ...]) -> None:
    for text in ("first", "second"):
        add(project, text, "--role", "user", "--task-class", "user_gate", "--global-gate")
    page = project.ok(*view, "--limit", "1")
    assert {"todos", "total", "truncated", "next_cursor"} <= keys(page)
    assert (len(page["todos"]), page["total"], page["truncated"]) == (1, 2, True)
    rest = project.ok(*view, "--limit", "1", "--cursor", page["next_cursor"])
    assert (rest["truncated"], rest["next_cursor"]) == (False, None)
    assert rest["todos"][0]["todo_id"] != page["todos"][0]["todo_id"]


def test_a_long_text_is_cut_at_160_bytes_in_a_brief_todo_and_whole_in_show(project: Loopx) -> None:
    text = "é" * 200
    todo = project.ok("todo", "add", "--text", text)["todo"]
    assert todo["text_truncated"] is True
    assert len(todo["text"].encode()) <= 160
    assert project.ok("todo", "show", todo["todo_id"])["todo"]["text"] == text


def test_claim_next_answers_with_task_token_expiry_and_lease(project: Loopx) -> None:
    todo_id = add(project, "First line\nand the rest")
    answer = project.ok("todo", "claim-next", "--agent-id", "agent-a")
    claim = answer["claim"]
    assert {"claim", "reason", "skipped"} <= keys(answer)
    assert set(claim) == {"task", "claim_token", "lease_expires_at_utc", "lease"}
    assert claim["task"] == {
        "id": todo_id,
        "subject": "First line",
        "description": "and the rest",
        "status": "in_progress",
        "owner": "agent-a",
        "blocked_by": [],
    }


def test_claim_next_with_nothing_ready_says_why_and_exits_0(project: Loopx) -> None:
    answer = project.ok("todo", "claim-next", "--agent-id", "agent-a")
    assert answer["claim"] is None
    assert answer["reason"]


def test_a_completion_names_successors_unblocked_and_closure(project: Loopx) -> None:
    first = add(project, "first")
    waiting = add(project, "waiting", "--blocked-by", first)
    answer = project.ok(
        "todo", "complete", first, "--claimed-by", "agent-a", "--evidence", "seen", "--next-agent-todo", "next"
    )
    assert {"todo", "successors", "unblocked", "closure", "receipt"} <= keys(answer)
    assert answer["unblocked"] == [waiting]
    assert answer["closure"] == "completed"
    assert project.ok("todo", "show", answer["successors"][0])["todo"]["predecessor"] == first


def test_a_superseding_names_what_moved(project: Loopx) -> None:
    first = add(project, "first")
    waiting = add(project, "waiting", "--blocked-by", first)
    answer = project.ok("todo", "supersede", first, "--reason", "other way", "--next-agent-todo", "second")
    assert {"todo", "successors", "moved_dependents", "receipt"} <= keys(answer)
    assert answer["moved_dependents"] == [waiting]
    assert (answer["todo"]["status"], answer["todo"]["closure"]) == ("deferred", "superseded")


def test_todo_why_lists_every_stage(project: Loopx) -> None:
    answer = project.ok("todo", "why", add(project, "one"), "--agent-id", "agent-a")
    assert keys(answer) == {"todo_id", "runnable", "stages"}
    assert answer["runnable"] is True
    assert all({"stage", "passed", "reason_code", "facts", "next_command"} == set(stage) for stage in answer["stages"])


def test_a_lease_shows_its_token_to_its_holder_when_acquired_or_renewed_and_nowhere_else(project: Loopx) -> None:
    todo_id = add(project, "one")
    acquired = project.ok("task-lease", "acquire", "--todo-id", todo_id, "--agent-id", "agent-a", "--ttl", "15m")
    lease = acquired["lease"]
    assert acquired["schema_version"] == "task_lease_v0"
    assert {"lease_id", "version", "holder", "acquired_at", "expires_at", "claim_token"} <= set(lease)
    renewing = ("--lease-id", lease["lease_id"], "--agent-id", "agent-a", "--expect-version", str(lease["version"]))
    assert "claim_token" in project.ok("task-lease", "renew", *renewing, "--ttl", "15m")["lease"]
    shown = project.ok("task-lease", "show", "--lease-id", lease["lease_id"])
    listed = project.ok("task-lease", "list")
    assert "claim_token" not in shown["lease"]
    assert all("claim_token" not in row for row in listed["leases"])
    assert lease["claim_token"] not in str(project.ok("todo", "show", todo_id))


def test_acquiring_a_lease_never_sets_the_claim(project: Loopx) -> None:
    todo_id = add(project, "one")
    project.ok("task-lease", "acquire", "--todo-id", todo_id, "--agent-id", "agent-a", "--ttl", "15m")
    assert project.ok("todo", "show", todo_id)["todo"]["claimed_by"] is None


def test_closed_work_has_no_claim_that_could_expire(project: Loopx) -> None:
    todo_id = add(project, "one", "--claimed-by", "agent-a")
    done = project.ok("todo", "complete", todo_id, "--claimed-by", "agent-a", "--evidence", "seen", "--no-follow-up")
    shown = project.ok("todo", "show", todo_id)["todo"]
    for todo in (done["todo"], shown):
        assert (todo["claimed_by"], todo["claim_expires_at"]) == ("agent-a", None)
