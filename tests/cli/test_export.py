"""`export` and `import --from loopx`: what leaves comes back as it was, and nothing here is lost over it."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopx.cli.context import Ports
from loopx.core.instant import DAY, HOUR
from tests.support.cli import Loopx
from tests.support.fakes import FakeClock, SequenceIds, SequenceTokens
from tests.support.lab import add, add_gate, add_monitor, claim_next, finish, lease, show, start_lab

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def exported(lab: Loopx, name: str = "out.jsonl", *more: str) -> str:
    lab.ok("export", name, "--force", *more)
    return (lab.root / name).read_text(encoding="utf-8")


def records(text: str) -> dict[tuple[str, str], dict[str, Any]]:
    rows = [json.loads(line) for line in text.splitlines()[1:]]
    return {(row["kind"], row["id"]): row for row in rows}


def empty_project(folder: Path, clock: FakeClock) -> Loopx:
    folder.mkdir()
    ids = SequenceIds()
    for _ in range(500):
        ids.new("skipped")  # another machine's ids
    other = Loopx(folder, in_process=True, ports=Ports(clock, ids, SequenceTokens()))
    other.ok("init")
    return other


def imported(lab: Loopx, text: str, *more: str) -> dict[str, Any]:
    (lab.root / "in.jsonl").write_text(text, encoding="utf-8")
    return lab.ok("import", "--from", "loopx", "in.jsonl", *more)


def a_life(lab: Loopx, clock: FakeClock) -> dict[str, str]:
    """One todo of every kind that there can be."""
    start_lab(lab)
    lab.ok("goal", "update", "--goal-id", "lab", "--acceptance", "It is known", "--slots", "9")
    named = {"first": add(lab, "[P0] first\n第二行 🧵", "--acceptance", "it runs")}
    named["waits"] = add(lab, "waits", "--blocked-by", named["first"], "--required-capability", "shell")
    named["failed"] = add(lab, "failed")
    lab.ok("todo", "complete", named["failed"], "--claimed-by", "ann", "--evidence", "no", "--outcome", "failed",
           "--no-follow-up", "--reason", "it cannot be")  # fmt: skip
    named["superseded"] = add(lab, "superseded")
    lab.ok("todo", "supersede", named["superseded"], "--reason", "better", "--next-agent-todo", "instead")
    named["deferred"] = add(lab, "deferred", "--status", "deferred", "--resume-when", "pr_merged:lab#1")
    named["monitor"] = add_monitor(lab)
    named["gate"] = add_gate(lab, "direction:action:way", "--blocks-agent", "ann")
    lab.ok("gate", "answer", named["gate"], "--decision", "approve", "--note", "yes", "--standing")
    lab.ok("fact", "record", "pr_merged:lab#2", "--evidence", "seen")
    named["done"] = add(lab, "done")
    finish(lab, named["done"], "ann", "--meets", "A1")
    named["open gate"] = add_gate(lab, "direction:action:other", "--global-gate")
    clock.advance(2 * DAY)
    lab.ok("todo", "archive", "--older-than", "1d")
    clock.advance(HOUR)
    named["claimed"] = add(lab, "claimed", "--claimed-by", "bob")
    return named


def without_holders(todo: dict[str, Any]) -> dict[str, Any]:
    """The todo without who holds it and where it lies, which stays with each project."""
    own = ("claimed_by", "claim_expires_at", "claim_stale", "suggested_peer", "updated_at", "archived_at")
    return {key: value for key, value in todo.items() if key not in own}


def test_an_export_is_sorted_and_the_same_for_the_same_state(inside: Loopx, clock: FakeClock) -> None:
    a_life(inside, clock)
    text = exported(inside)
    clock.advance(HOUR)
    assert exported(inside, "again.jsonl") == text
    keys = [(row["kind"], row["id"]) for row in map(json.loads, text.splitlines()[1:])]
    assert len(keys) == len(set(keys))
    assert text.endswith("\n")
    assert "\r" not in text


def test_into_an_empty_project_everything_comes_as_it_left(inside: Loopx, clock: FakeClock) -> None:
    named = a_life(inside, clock)
    text = exported(inside)
    other = empty_project(inside.root / "other", clock)
    imported(other, text)
    assert exported(other) == text
    for todo_id in named.values():
        there, here = show(other, todo_id), show(inside, todo_id)
        assert without_holders(there) == without_holders(here)
    assert other.ok("doctor")["healthy"] is True


def test_into_its_own_project_nothing_changes(inside: Loopx, clock: FakeClock) -> None:
    a_life(inside, clock)
    text = exported(inside)
    counts = imported(inside, text)["counts"]
    assert counts["added"] == counts["updated"] == counts["completed"] == 0
    assert exported(inside) == text


def test_leases_tokens_and_claims_on_open_work_stay_behind(inside: Loopx) -> None:
    start_lab(inside)
    held = lease(inside, add(inside, "leased"), "ann")
    add(inside, "claimed", "--claimed-by", "bob")
    text = exported(inside)
    assert held["claim_token"] not in text
    assert held["lease_id"] not in text
    assert not [row for row in records(text).values() if row.get("claimed_by")]


def test_credentials_and_local_paths_are_masked(inside: Loopx) -> None:
    start_lab(inside)
    todo_id = add(inside, f"use {SECRET} in /home/somebody/notes.txt")
    document = inside.ok("export", "out.jsonl")
    text = (inside.root / "out.jsonl").read_text(encoding="utf-8")
    assert SECRET not in text
    assert "/home/somebody" not in text
    assert document["warnings"]
    assert SECRET in show(inside, todo_id)["text"]
    imported(inside, text)
    assert SECRET in show(inside, todo_id)["text"], "a mask must not take the place of what it hides"


def test_what_is_newer_there_is_taken_and_what_is_newer_here_stays(inside: Loopx, clock: FakeClock) -> None:
    start_lab(inside)
    ours, theirs = add(inside, "edited here"), add(inside, "edited there")
    other = empty_project(inside.root / "other", clock)
    imported(other, exported(inside))
    clock.advance(HOUR)
    other.ok("todo", "update", theirs, "--text", "edited there, yes")
    other.ok("todo", "update", ours, "--text", "the older edit")
    clock.advance(HOUR)
    inside.ok("todo", "update", ours, "--text", "edited here, yes")
    imported(inside, exported(other))
    assert show(inside, theirs)["text"] == "edited there, yes"
    assert show(inside, ours)["text"] == "edited here, yes"


def test_an_older_export_changes_nothing(inside: Loopx, clock: FakeClock) -> None:
    start_lab(inside)
    todo_id = add(inside, "old words")
    older = exported(inside)
    clock.advance(HOUR)
    inside.ok("todo", "update", todo_id, "--text", "new words")
    newer = exported(inside)
    imported(inside, older)
    assert exported(inside) == newer


def test_work_that_somebody_holds_is_untouched(inside: Loopx, clock: FakeClock) -> None:
    start_lab(inside)
    add(inside, "held here")
    other = empty_project(inside.root / "other", clock)
    imported(other, exported(inside))
    claim = claim_next(inside)["claim"]
    clock.advance(1_000_000)
    other.ok("todo", "update", claim["task"]["id"], "--text", "changed there")
    answer = imported(inside, exported(other))
    assert answer["counts"]["kept"] == 1
    todo = show(inside, claim["task"]["id"])
    assert todo["text"] == "held here"
    assert todo["lease"]["holder"] == "ann"


def test_a_dry_run_tells_and_writes_nothing(inside: Loopx, clock: FakeClock) -> None:
    a_life(inside, clock)
    other = empty_project(inside.root / "other", clock)
    before = exported(other)
    answer = imported(other, exported(inside), "--dry-run")
    assert answer["dry_run"] is True
    assert answer["counts"]["added"] > 0
    assert exported(other) == before


@pytest.mark.parametrize(
    "line",
    ["<<<<<<< ours", "not json", '{"kind": "todo"}', '{"kind": "todo", "id": "todo_x", "text": "\\u0000"}', "[]"],
)
def test_a_bad_line_is_listed_by_its_number_and_nothing_is_written(inside: Loopx, clock: FakeClock, line: str) -> None:
    a_life(inside, clock)
    lines = exported(inside).splitlines()
    lines.insert(2, line)
    other = empty_project(inside.root / "other", clock)
    before = exported(other)
    (other.root / "in.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    refusal = other.refused("import", "--from", "loopx", "in.jsonl", code="import_invalid")
    assert 3 in [row["line"] for row in refusal.error["details"]["rejected"]]
    assert exported(other) == before


def test_an_agent_does_not_bring_answers_in(inside: Loopx, clock: FakeClock) -> None:
    a_life(inside, clock)
    (inside.root / "in.jsonl").write_text(exported(inside), encoding="utf-8")
    inside.refused("import", "--from", "loopx", "in.jsonl", "--agent-id", "ann", code="user_decision_required")


def test_a_file_that_is_no_export_is_not_replaced(inside: Loopx) -> None:
    start_lab(inside)
    (inside.root / "notes.txt").write_text("mine\n", encoding="utf-8")
    inside.refused("export", "notes.txt", code="target_exists")
    assert (inside.root / "notes.txt").read_text() == "mine\n"


# --- random histories --------------------------------------------------------------------


def random_graph(lab: Loopx, random: Random) -> None:
    """Todos with edges, classes and fates that nobody chose."""
    start_lab(lab)
    known: list[str] = []
    for number in range(random.randint(1, 8)):
        edges = random.sample(known, min(len(known), random.randint(0, 2)))
        more = [word for edge in edges for word in ("--blocked-by", edge)]
        if random.random() < 0.3:
            more += ["--required-write-scope", "src/**", "--task-repository", "git:example.com/a/b"]
        if random.random() < 0.3:
            more += ["--excluded-agent", "bob", "--action-kind", "write"]
        known.append(add(lab, f"[P{random.randint(0, 4)}] todo {number} «é» \\n", *more))
    for todo_id in random.sample(known, random.randint(0, len(known))):
        fate = random.choice(("complete", "supersede", "block", "defer", "claim"))
        if fate == "complete":
            lab.call("todo", "complete", todo_id, "--claimed-by", "ann", "--evidence", "e", "--next-agent-todo", "next")
        elif fate == "supersede":
            lab.call("todo", "supersede", todo_id, "--reason", "r", "--no-replacement")
        elif fate == "block":
            lab.call("todo", "block", todo_id, "--reason", "no access")
        elif fate == "defer":
            lab.call("todo", "defer", todo_id, "--resume-when", "at:2027-01-01T00:00:00Z")
        else:
            lab.call("todo", "claim", todo_id, "--claimed-by", "bob")


@settings(max_examples=15)
@given(st.integers(0, 2**32))
def test_whatever_happened_comes_back_as_it_left(seed: int) -> None:
    with TemporaryDirectory() as name:
        root, clock = Path(name), FakeClock()
        (root / "one").mkdir()
        lab = Loopx(root / "one", in_process=True, ports=Ports(clock, SequenceIds(), SequenceTokens()))
        random_graph(lab, Random(seed))
        text = exported(lab)
        other = empty_project(root / "two", clock)
        imported(other, text)
        assert exported(other) == text
        assert imported(other, text)["counts"]["added"] == 0
        assert exported(other) == text
