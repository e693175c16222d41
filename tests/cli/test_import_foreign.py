"""`import --from beads|taskmaster|backlog|github`: whole files, again after edits on both sides, and refusals."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from typing import Any

import pytest

from loopx.app import import_file
from tests.support.cli import Loopx
from tests.support.foreign.backlog import backlog_files, task_text, write_files
from tests.support.foreign.beads import beads_file, edge, issue, lines
from tests.support.foreign.github import as_json, gh_issue, rest_file, rest_issue
from tests.support.foreign.lab import assert_sound, counts, kept, noted, put, start, take, todo_id, todos
from tests.support.foreign.taskmaster import pretty, task, taskmaster_file

LATER = "2027-01-01T00:00:00Z"  # after the fake clock's now, so that the source is the newer one


@pytest.fixture
def lab(inside: Loopx) -> Any:
    start(inside)
    yield inside
    assert_sound(inside)


def number(lab: Loopx, question: str) -> int:
    """The answer to a question about the tables."""
    with closing(sqlite3.connect(lab.root / ".loopx" / "loopx.db")) as db:
        return int(db.execute(question).fetchone()[0])


def lease(lab: Loopx, name: str) -> dict[str, Any]:
    lab.ok("task-lease", "acquire", todo_id(lab, name), "--agent-id", "bob", "--ttl", "1h")
    taken = todos(lab)[name]["lease"]
    assert isinstance(taken, dict)
    return taken


# --- whole files -------------------------------------------------------------------------


def test_a_large_file_of_beads_becomes_todos_once(lab: Loopx) -> None:
    put(lab, "issues.jsonl", beads_file())
    looked = take(lab, "beads", "issues.jsonl", "--dry-run")
    assert (looked["counts"]["items"], looked["dry_run"]) == (5_722, True)
    assert number(lab, "SELECT count(*) FROM todos") == 0
    document = take(lab, "beads", "issues.jsonl")
    assert document["counts"] == looked["counts"]
    assert (document["counts"]["added"], document["counts"]["left_out"]) == (2_403, 3_319)
    assert "dependency_dangling" in noted(document)
    assert number(lab, "SELECT count(*) FROM todos WHERE priority = 0") > 300
    assert number(lab, "SELECT count(*) FROM edges") > 50
    again = take(lab, "beads", "issues.jsonl")
    assert (again["counts"]["unchanged"], again["receipt"]) == (2_403, None)


def test_a_large_file_of_taskmaster_becomes_todos_once(lab: Loopx) -> None:
    put(lab, "tasks.json", taskmaster_file())
    document = take(lab, "taskmaster", "tasks.json")
    assert document["counts"]["added"] == 182 + 914
    assert noted(document).count("dependency_dangling") <= 1
    assert number(lab, "SELECT count(*) FROM todos WHERE closure = 'superseded'") > 80
    gates = number(lab, "SELECT count(*) FROM todos WHERE task_class = 'user_gate'")
    assert number(lab, "SELECT count(*) FROM todos") == 182 + 914 + gates
    assert gates > 50
    again = take(lab, "taskmaster", "tasks.json")
    assert (again["counts"]["unchanged"], again["receipt"]) == (182 + 914, None)


def test_a_large_folder_of_backlog_becomes_todos_once(lab: Loopx) -> None:
    write_files(lab.root, backlog_files())
    document = take(lab, "backlog", "backlog")
    assert (document["counts"]["added"], document["counts"]["ignored"]) == (664, 4)
    assert noted(document).count("duplicate_id") == 10
    again = take(lab, "backlog", "backlog")
    assert (again["counts"]["unchanged"], again["receipt"]) == (664, None)


def test_a_large_file_of_issues_becomes_todos_once(lab: Loopx) -> None:
    put(lab, "issues.json", rest_file())
    document = take(lab, "github", "issues.json")
    assert (document["counts"]["added"], document["counts"]["ignored"]) == (1_000, 300)
    again = take(lab, "github", "issues.json")
    assert (again["counts"]["unchanged"], again["receipt"]) == (1_000, None)


# --- again, after edits on both sides ----------------------------------------------------


def test_an_issue_that_changed_there_is_an_update_here(lab: Loopx) -> None:
    put(lab, "i.jsonl", lines(issue("bd-1", "a"), issue("bd-2", "b"), issue("bd-3", "c", status="deferred")))
    take(lab, "beads", "i.jsonl")
    parser = todo_id(lab, "a")
    news = {"updated_at": "2025-04-01T00:00:00.123456789+02:00"}
    put(
        lab,
        "i.jsonl",
        lines(
            issue("bd-1", "a new", priority=0, dependencies=[edge("bd-1", "bd-2")], **news),
            issue("bd-2", "b", status="closed", close_reason="Fixed in main", **news),
            issue("bd-3", "c", **news),
            issue("bd-4", "d"),
        ),
    )
    document = take(lab, "beads", "i.jsonl")
    assert counts(document) == {"added": 1, "updated": 2, "completed": 1}
    found = todos(lab)
    changed = found["a new"]
    assert (changed["todo_id"], changed["priority"]) == (parser, "P0")
    assert changed["blocked_by"] == [todo_id(lab, "b")]
    assert (found["b"]["closure"], found["b"]["evidence"]) == ("completed_no_followup", "Fixed in main")
    assert found["c"]["status"] == "open"


def test_claims_leases_and_newer_edits_are_left_alone(lab: Loopx) -> None:
    names = ("claimed", "leased", "edited", "closed")
    put(lab, "i.jsonl", lines(*(issue(f"bd-{name}", name) for name in names)))
    take(lab, "beads", "i.jsonl")
    lab.ok("todo", "claim", todo_id(lab, "claimed"), "--claimed-by", "ann")
    held = lease(lab, "leased")
    lab.ok("todo", "update", todo_id(lab, "edited"), "--text", "edited here")
    lab.ok("todo", "claim", todo_id(lab, "closed"), "--claimed-by", "ann")
    lab.ok(
        *("todo", "complete", todo_id(lab, "closed"), "--claimed-by", "ann", "--evidence", "seen", "--no-follow-up"),
        *("--reason", "nothing follows"),
    )
    before = todos(lab)
    put(lab, "i.jsonl", lines(*(issue(f"bd-{name}", f"{name} there") for name in names)))
    document = take(lab, "beads", "i.jsonl")
    assert counts(document) == {"kept": 4}
    assert kept(document) == ["held_here", "held_here", "edited_here", "closed_here"]
    assert todos(lab) == before
    assert todos(lab)["leased"]["lease"] == held


def test_an_edit_there_that_is_newer_still_is_taken_over(lab: Loopx) -> None:
    put(lab, "i.jsonl", lines(issue("bd-1", "a")))
    take(lab, "beads", "i.jsonl")
    lab.ok("todo", "update", todo_id(lab, "a"), "--text", "a here")
    put(lab, "i.jsonl", lines(issue("bd-1", "a there", updated_at=LATER)))
    assert counts(take(lab, "beads", "i.jsonl")) == {"updated": 1}
    assert list(todos(lab)) == ["a there"]


def test_an_older_file_overwrites_nothing(lab: Loopx) -> None:
    put(lab, "i.jsonl", lines(issue("bd-1", "a new", updated_at="2025-05-01T00:00:00Z")))
    take(lab, "beads", "i.jsonl")
    put(lab, "i.jsonl", lines(issue("bd-1", "a old", updated_at="2025-04-01T00:00:00Z")))
    assert kept(take(lab, "beads", "i.jsonl")) == ["older_there"]


def test_an_issue_that_was_deleted_there_is_named_and_stays(lab: Loopx) -> None:
    put(lab, "i.jsonl", lines(issue("bd-1", "a"), issue("bd-2", "b")))
    take(lab, "beads", "i.jsonl")
    put(lab, "i.jsonl", lines(issue("bd-1", "a"), issue("bd-2", "b", status="tombstone")))
    assert kept(take(lab, "beads", "i.jsonl")) == ["cancelled_there"]
    put(lab, "i.jsonl", lines(issue("bd-1", "a")))
    assert [row["text"] for row in take(lab, "beads", "i.jsonl")["gone"]] == ["b"]


def test_a_tombstone_and_a_memory_become_nothing(lab: Loopx) -> None:
    put(lab, "i.jsonl", lines(issue("bd-1", "a"), issue("bd-2", status="tombstone"), {"_type": "memory", "id": "m"}))
    assert counts(take(lab, "beads", "i.jsonl")) == {"added": 1, "left_out": 1, "ignored": 1, "notes": 1}
    assert list(todos(lab)) == ["a"]


# --- odd files ---------------------------------------------------------------------------


def test_the_newest_of_equal_ids_counts_and_the_other_is_told(lab: Loopx) -> None:
    old, new = (issue("bd-1", f"of {day}", updated_at=f"2025-03-{day}T00:00:00.5+02:00") for day in ("01", "09"))
    put(lab, "i.jsonl", lines(new, old))
    document = take(lab, "beads", "i.jsonl")
    assert (list(todos(lab)), noted(document)) == (["of 09"], ["duplicate_id"])


def test_cycles_and_edges_to_nothing_are_told_and_stop_nothing(lab: Loopx) -> None:
    rows = [
        issue("bd-1", "a", dependencies=[edge("bd-1", "bd-2")]),
        issue("bd-2", "b", dependencies=[edge("bd-2", "bd-1"), edge("bd-2", "bd-none"), edge("bd-2", "bd-2")]),
        issue("bd-3", "c", dependencies=[edge("bd-3", "bd-dead")]),
        issue("bd-dead", status="tombstone"),
    ]
    put(lab, "i.jsonl", lines(*rows))
    document = take(lab, "beads", "i.jsonl")
    assert sorted(noted(document)) == ["dependency_cycle", "dependency_dangling", "dependency_self"]
    assert number(lab, "SELECT count(*) FROM edges") == 1
    assert todos(lab)["c"]["unmet_dependencies"] == 0


def test_bad_lines_refuse_the_file_and_are_listed(lab: Loopx) -> None:
    bad = b'<<<<<<< HEAD\n{"id": "bd-2", "title": "b"}\n>>>>>>> x\n{"id": "bd-3"} {"id": "bd-4"}\n{"id": "bd-5", "ti'
    put(lab, "i.jsonl", lines(issue("bd-1", "a")) + bad)
    details = lab.refused("import", "--from", "beads", "i.jsonl", code="import_invalid", exit_code=3).error["details"]
    assert [(row["line"], row["reason_code"]) for row in details["rejected"]] == [
        (2, "conflict_marker"),
        (3, "in_conflict"),
        (4, "conflict_marker"),
        (5, "two_values"),
        (6, "truncated"),
    ]
    assert todos(lab) == {}
    assert counts(take(lab, "beads", "i.jsonl", "--skip-invalid")) == {"added": 1, "rejected": 5}


@pytest.mark.parametrize("kind", ["taskmaster", "github"])
def test_marks_of_a_merge_in_a_document_are_refused_whatever_is_skipped(lab: Loopx, kind: str) -> None:
    put(lab, "f.json", b'<<<<<<< HEAD\n{"tasks": []}\n=======\n[]\n>>>>>>> x\n')
    refusal = lab.refused("import", "--from", kind, "f.json", "--skip-invalid", code="import_invalid")
    assert [row["line"] for row in refusal.error["details"]["rejected"]] == [1, 2, 3, 4, 5]


FILES = {
    "beads": ("i.jsonl", lines(issue("bd-1"))),
    "taskmaster": ("tasks.json", pretty({"tasks": [task(1)]})),
    "github": ("issues.json", as_json(gh_issue(1))),
    "backlog": ("back-1 - a.md", task_text("id: BACK-1\ntitle: a").encode()),
}


@pytest.mark.parametrize("given", FILES)
@pytest.mark.parametrize("asked", FILES)
def test_a_file_of_one_tool_is_not_taken_for_that_of_another(lab: Loopx, given: str, asked: str) -> None:
    name, data = FILES[given]
    put(lab, name, data)
    if given == asked:
        assert counts(take(lab, asked, name))["added"] == 1
        return
    refusal = lab.refused("import", "--from", asked, name, code="import_invalid", exit_code=3)
    if given != "taskmaster" or asked != "backlog":
        assert f"--from {given}" in refusal.error["hint"]


# --- what states become ------------------------------------------------------------------


def test_states_of_taskmaster_become_states_here(lab: Loopx) -> None:
    statuses = ("pending", "in-progress", "done", "review", "deferred", "cancelled")
    put(lab, "tasks.json", pretty({"tasks": [task(n, status, status=status) for n, status in enumerate(statuses, 1)]}))
    document = take(lab, "taskmaster", "tasks.json")
    found = todos(lab)
    assert {status: (found[status]["status"], found[status]["closure"]) for status in statuses} == {
        "pending": ("open", None),
        "in-progress": ("open", None),
        "done": ("done", "completed_no_followup"),
        "review": ("open", None),
        "deferred": ("blocked", None),
        "cancelled": ("deferred", "superseded"),
    }
    assert "that work has begun: 1" in " ".join(document["warnings"])
    assert lab.ok("doctor")["healthy"] is True


def test_work_in_review_waits_for_its_gate(lab: Loopx) -> None:
    put(lab, "tasks.json", pretty({"tasks": [task(1, "Write it", status="review")]}))
    take(lab, "taskmaster", "tasks.json")
    (gate,) = lab.ok("gate", "list")["todos"]
    assert gate["text"] == "Review of task 1: may it be closed? Write it"
    assert lab.ok("quota", "should-run", "--agent-id", "bob")["selected_todo"] is None
    lab.ok("gate", "answer", gate["todo_id"], "--decision", "approve")
    assert lab.ok("quota", "should-run", "--agent-id", "bob")["selected_todo"]["todo_id"] == todo_id(lab, "Write it")
    assert take(lab, "taskmaster", "tasks.json")["receipt"] is None


def test_a_file_from_before_there_were_tags_is_updated_by_one_with_tags(lab: Loopx) -> None:
    put(lab, "tasks.json", pretty({"tasks": [task(1, "a"), task(2, "b", dependencies=[1])]}))
    take(lab, "taskmaster", "tasks.json")
    put(
        lab,
        "tasks.json",
        pretty({"master": {"tasks": [task("1", "a", status="done"), task(2, "b", dependencies=["1"])]}}),
    )
    assert counts(take(lab, "taskmaster", "tasks.json")) == {"updated": 1, "completed": 1}
    assert todos(lab)["b"]["unmet_dependencies"] == 0


def test_parts_hold_their_task_only_where_asked(lab: Loopx) -> None:
    put(
        lab,
        "tasks.json",
        pretty({"tasks": [task(1, "whole", subtasks=[task(1, "part"), task(2, "other", dependencies=[1])])]}),
    )
    take(lab, "taskmaster", "tasks.json")
    assert todos(lab)["whole"]["blocked_by"] == []
    assert todos(lab)["other"]["blocked_by"] == [todo_id(lab, "part")]
    take(lab, "taskmaster", "tasks.json", "--nested-depends")
    assert todos(lab)["whole"]["blocked_by"] == [todo_id(lab, "part"), todo_id(lab, "other")]


def test_a_task_of_backlog_that_moves_to_another_folder_is_an_update(lab: Loopx) -> None:
    boxes = "## Acceptance Criteria\n<!-- AC:BEGIN -->\n- [x] #1 It works\n<!-- AC:END -->\n"
    text = task_text("id: BACK-1\ntitle: a\nstatus: To Do\ncreated_date: 2025-06-03", boxes)
    put(lab, "backlog/tasks/back-1 - a.md", text)
    put(lab, "backlog/drafts/draft-1 - d.md", task_text("id: DRAFT-1\ntitle: d\nstatus: Draft"))
    take(lab, "backlog", "backlog")
    found = todos(lab)
    assert (found["a"]["acceptance"], found["d"]["status"]) == (["It works"], "blocked")
    (lab.root / "backlog/completed").mkdir()
    (lab.root / "backlog/tasks/back-1 - a.md").rename(lab.root / "backlog/completed/back-1 - a.md")
    document = take(lab, "backlog", "backlog")
    assert counts(document) == {"completed": 1, "unchanged": 1, "notes": 1}
    assert noted(document) == ["folder_disagrees"]
    assert document["changes"][0]["path"] == "completed/back-1 - a.md"


def test_links_out_of_a_folder_are_not_followed(lab: Loopx) -> None:
    put(lab, "outside/back-9 - z.md", task_text("id: BACK-9\ntitle: z"))
    put(lab, "backlog/tasks/back-1 - a.md", task_text("id: BACK-1\ntitle: a"))
    (lab.root / "backlog/tasks/back-9 - z.md").symlink_to(lab.root / "outside/back-9 - z.md")
    (lab.root / "backlog/completed").symlink_to(lab.root / "outside")
    refusal = lab.refused("import", "--from", "backlog", "backlog", code="import_invalid")
    assert [row["path"] for row in refusal.error["details"]["rejected"]] == ["tasks/back-9 - z.md"]
    take(lab, "backlog", "backlog", "--skip-invalid")
    assert list(todos(lab)) == ["a"]


def test_a_file_that_goes_away_while_the_folder_is_read_is_told(lab: Loopx, monkeypatch: pytest.MonkeyPatch) -> None:
    for n in (1, 2):
        put(lab, f"backlog/tasks/back-{n} - a.md", task_text(f"id: BACK-{n}\ntitle: a{n}\nstatus: To Do"))
    read = import_file._bytes_of

    def went_away(path: str, *more: Any, **ways: Any) -> bytes | int:
        if "back-2" in path:
            os.unlink(path)
        return read(path, *more, **ways)

    monkeypatch.setattr(import_file, "_bytes_of", went_away)
    document = take(lab, "backlog", "backlog")
    assert (list(todos(lab)), noted(document)) == (["a1"], ["file_vanished"])


def test_both_dialects_of_github_are_one_source(lab: Loopx) -> None:
    put(lab, "issues.json", as_json(rest_issue(1, "a", "blocked by #2"), rest_issue(2, "b", pull_request={"url": "x"})))
    document = take(lab, "github", "issues.json")
    assert counts(document) == {"added": 1, "ignored": 1, "notes": 1}
    put(lab, "issues.json", as_json(gh_issue(1, "a", "blocked by #3"), gh_issue(3, "c", state="CLOSED")))
    assert counts(take(lab, "github", "issues.json")) == {"added": 1, "updated": 1}
    found = todos(lab)
    assert (found["a"]["blocked_by"], found["a"]["unmet_dependencies"]) == ([found["c"]["todo_id"]], 0)


def test_issues_without_an_address_need_a_repository(lab: Loopx) -> None:
    put(lab, "issues.json", as_json({"number": 1, "title": "a", "state": "open"}))
    assert (
        "--repository" in lab.refused("import", "--from", "github", "issues.json", code="import_invalid").error["hint"]
    )
    assert counts(take(lab, "github", "issues.json", "--repository", "o/r")) == {"added": 1}


def test_unknown_fields_are_shown_with_the_todo(lab: Loopx) -> None:
    put(lab, "i.jsonl", lines(issue("bd-1", "a", estimated_minutes=0, odd={"x": [1]}, labels=["fast"])))
    take(lab, "beads", "i.jsonl")
    shown = str(lab.ok("todo", "show", todo_id(lab, "a")))
    assert "estimated_minutes" in shown
    assert "fast" in shown
