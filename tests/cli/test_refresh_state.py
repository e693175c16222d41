"""Runs written back: whose work, in what state, from which place, and what may be spent of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from loopx.core.instant import HOUR
from tests.support.cli import Loopx
from tests.support.fakes import FakeClock
from tests.support.git import git, new_repository, new_worktree
from tests.support.lab import add, add_gate, add_monitor, finish, lease, start_lab

REPOSITORY = "git:example.org/team/repo"
REMOTE = "https://somebody:secret@example.org/team/repo.git"


@pytest.fixture
def lab(inside: Loopx) -> Loopx:
    return start_lab(inside)


def run(todo: str, *more: str, agent: str = "ann", kind: str = "work") -> tuple[str, ...]:
    named = ("--agent-id", agent, "--todo-id", todo, "--run-kind", kind, "--evidence", "tests pass")
    return ("refresh-state", *named, *more)


def test_a_run_is_kept_as_it_was_told(lab: Loopx) -> None:
    todo = add(lab, "work")
    document = lab.ok(
        *run(todo, "--validation", "make test", "--next-action", "review it", "--stop-condition", "all green")
    )
    assert document["run"] == {
        "run_id": document["run"]["run_id"],
        "goal_id": "lab",
        "todo_id": todo,
        "agent_id": "ann",
        "run_kind": "work",
        "validated": True,
        "evidence": "tests pass",
        "validation": "make test",
        "next_action": "review it",
        "stop_condition": "all green",
        "delivery_workspace": {
            "task_repository": None,
            "workspace_kind": "not_git_worktree",
            "peer_independent_worktree_required": False,
        },
        "recorded_at": "2026-01-01T00:00:00Z",
    }
    assert document["receipt"]["event"] == "run_recorded"


def test_a_run_changes_nothing_of_its_todo(lab: Loopx) -> None:
    todo = add(lab, "work")
    before = lab.ok("todo", "show", todo)["todo"]
    lab.ok(*run(todo, "--validation", "make test"))
    assert lab.ok("todo", "show", todo)["todo"] == before


@pytest.mark.parametrize(
    ("kind", "more", "validated"),
    [("work", ("--validation", "make test"), True), ("work", (), False), ("status", ("--validation", "x"), False)],
)
def test_only_work_with_a_validation_may_be_spent(
    lab: Loopx, kind: str, more: tuple[str, ...], validated: bool
) -> None:
    document = lab.ok(*run(add(lab, "work"), *more, kind=kind))
    assert document["run"]["validated"] is validated
    assert ("spend-slot" in document["receipt"]["next_command"]) is validated


def test_a_run_is_an_agents_and_has_evidence(lab: Loopx) -> None:
    todo = add(lab, "work")
    anonymous = ("refresh-state", "--todo-id", todo, "--run-kind", "work", "--evidence", "x")
    lab.refused(*anonymous, code="actor_required", exit_code=3)
    lab.refused(*anonymous, "--as-user", "--reason", "mine", code="actor_required")
    bare = ("refresh-state", todo, "--agent-id", "ann", "--run-kind")
    for kind in ("work", "status"):
        lab.refused(*bare, kind, code="evidence_required", exit_code=3)
    lab.refused(*bare, "work", "--evidence", "  ", code="usage")
    lab.refused(*bare, "works", "--evidence", "x", code="usage")
    lab.refused(*run(todo, agent="mallory"), code="agent_not_registered")
    lab.refused(*run("todo_zzzzzzzzzz"), code="todo_not_found")


# --- whose work, and in what state -----------------------------------------------------------


def test_gated_work_is_not_written_back_and_the_state_of_it_is(lab: Loopx) -> None:
    todo = add(lab, "work", "--required-decision-scope", "direction:action:x")
    gate = add_gate(lab, "direction:action:x", "--blocks-agent", "ann", "--unblocks-todo-id", todo)
    refusal = lab.refused(*run(todo), code="gate_open", exit_code=3)
    assert refusal.error["details"]["gate"] == gate
    lab.ok(*run(todo, kind="status"))
    lab.ok("gate", "answer", gate, "--decision", "approve")
    lab.ok(*run(todo))


def test_work_after_a_no_is_not_written_back(lab: Loopx) -> None:
    todo = add(lab, "work", "--required-decision-scope", "direction:action:x")
    gate = add_gate(lab, "direction:action:x", "--blocks-agent", "ann", "--unblocks-todo-id", todo)
    lab.ok("gate", "answer", gate, "--decision", "reject")
    assert lab.refused(*run(todo), code="gate_open").error["details"]["reason_code"] == "decision_rejected"


def test_work_behind_a_gate_on_everything_is_not_written_back(lab: Loopx) -> None:
    todo = add(lab, "work")
    add_gate(lab, None, "--global-gate")
    lab.refused(*run(todo), code="gate_open")


def test_work_that_waits_is_not_written_back(lab: Loopx) -> None:
    first = add(lab, "first")
    waits = add(lab, "waits", "--blocked-by", first)
    stuck = add(lab, "stuck", "--status", "blocked", "--reason", "stuck")
    asleep = add(lab, "asleep", "--status", "deferred", "--resume-when", "in:1h")
    lab.refused(*run(waits), code="todo_blocked", exit_code=3)
    lab.refused(*run(stuck), code="todo_not_open", exit_code=3)
    lab.refused(*run(asleep), code="todo_not_open")
    finish(lab, first)
    lab.ok(*run(waits))


def test_a_peers_work_is_not_written_back(lab: Loopx) -> None:
    todo = add(lab, "theirs", "--claimed-by", "bob")
    lab.refused(*run(todo), code="not_claim_owner", exit_code=3)
    lab.ok(*run(todo, kind="status"))
    lab.ok(*run(todo, agent="bob"))


def test_a_stale_claim_binds_nobody(lab: Loopx, clock: FakeClock) -> None:
    todo = add(lab, "theirs")
    lab.ok("todo", "claim", todo, "--claimed-by", "bob", "--ttl", "1h")
    clock.advance(HOUR - 1)
    lab.refused(*run(todo), code="not_claim_owner")
    clock.advance(1)
    lab.ok(*run(todo))


def test_leased_work_is_written_back_with_its_token(lab: Loopx, clock: FakeClock) -> None:
    todo = add(lab, "work")
    token = lease(lab, todo, "ann", "--ttl", "1h")["claim_token"]
    lab.refused(*run(todo), code="claim_token_required")
    lab.refused(*run(todo, "--claim-token", "another"), code="claim_mismatch", exit_code=4)
    lab.refused(*run(todo, "--claim-token", token, agent="bob"), code="claim_mismatch")
    lab.ok(*run(todo, "--claim-token", token))
    clock.advance(HOUR)
    lab.refused(*run(todo, "--claim-token", token), code="lease_expired")
    lab.refused(*run(todo), code="lease_expired")


def test_excluded_and_bound_work_is_somebody_elses(lab: Loopx) -> None:
    lab.refused(*run(add(lab, "review", "--excluded-agent", "ann")), code="agent_excluded")
    lab.refused(*run(add(lab, "bobs", "--bound-agent", "bob")), code="agent_bound")


def test_what_was_done_is_written_back_by_who_did_it(lab: Loopx) -> None:
    todo = add(lab, "work")
    finish(lab, todo, "bob")
    lab.refused(*run(todo), code="not_claim_owner")
    lab.ok(*run(todo, agent="bob"))


def test_what_was_superseded_is_not_worked_on(lab: Loopx) -> None:
    todo = add(lab, "work")
    lab.ok("todo", "supersede", todo, "--reason", "no", "--no-replacement")
    lab.refused(*run(todo), code="todo_not_open")


def test_work_is_done_on_advancement_alone(lab: Loopx) -> None:
    """A look, a question and a known fact are no deliveries, and cost nothing."""
    gate = add_gate(lab, "direction:action:x", "--blocks-agent", "bob")
    blocker = add(lab, "the mirror is down", "--task-class", "blocker", "--reason", "outage")
    for todo in (add_monitor(lab), blocker, gate):
        lab.refused(*run(todo, "--validation", "x"), code="todo_invalid", exit_code=3)
        lab.ok(*run(todo, kind="status"))


# --- from which place ------------------------------------------------------------------------


class Places:
    """A clone with two linked worktrees, a clone of something else, and a folder outside of git."""

    def __init__(self, root: Path) -> None:
        self.main = new_repository(root / "main", REMOTE)
        self.ann = new_worktree(self.main, root / "ann", "ann")
        self.bob = new_worktree(self.main, root / "bob", "bob")
        self.foreign = new_repository(root / "foreign", "https://example.org/other/repo")
        self.nowhere = root / "nowhere"
        self.nowhere.mkdir()


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path)


@pytest.fixture
def team(inside: Loopx, places: Places) -> Loopx:
    inside.root = places.main
    return start_lab(inside)


def add_writing(team: Loopx) -> str:
    return add(team, "write", "--task-repository", REPOSITORY, "--required-write-scope", "src/**")


def test_a_peer_delivers_from_a_worktree_of_its_own(team: Loopx, places: Places) -> None:
    todo = add_writing(team)
    for place, kind in ((places.main, "canonical_checkout"), (places.foreign, "foreign_git_worktree")):
        refusal = team.refused(*run(todo, "--delivery-workspace", str(place)), code="workspace_mismatch", exit_code=3)
        assert refusal.error["details"]["current_workspace"] == kind
    team.refused(*run(todo, "--delivery-workspace", str(places.nowhere)), code="workspace_mismatch")
    team.refused(*run(todo, "--delivery-workspace", str(places.main / "no such")), code="usage", exit_code=2)
    document = team.ok(*run(todo), cwd=places.ann)
    assert document["run"]["delivery_workspace"] == {
        "task_repository": REPOSITORY,
        "workspace_kind": "independent_git_worktree",
        "peer_independent_worktree_required": True,
    }


def test_nothing_local_and_nothing_secret_is_kept_of_a_place(team: Loopx, places: Places) -> None:
    document = team.ok(*run(add_writing(team)), cwd=places.ann)
    kept = str((document, team.ok("log", "--action", "run_recorded")))
    assert "secret" not in kept
    assert "somebody" not in kept
    assert str(places.ann) not in kept
    assert str(places.main) not in kept


@pytest.mark.parametrize("remote", ["git@example.org:team/repo.git", "ssh://git@example.org/team/repo/"])
def test_a_repository_is_the_same_by_every_remote(team: Loopx, places: Places, remote: str) -> None:
    git(places.main, "remote", "set-url", "origin", remote)
    document = team.ok(*run(add_writing(team)), cwd=places.ann)
    assert document["run"]["delivery_workspace"]["task_repository"] == REPOSITORY


def test_one_agent_alone_works_where_it_likes(inside: Loopx, places: Places) -> None:
    inside.root = places.main
    start_lab(inside, "ann")
    assert place_of(inside.ok(*run(add_writing(inside)))) == "canonical_checkout"


def test_reading_is_not_guarded(team: Loopx, places: Places) -> None:
    todo = add(team, "read", "--task-repository", REPOSITORY)
    assert place_of(team.ok(*run(todo), cwd=places.main)) == "canonical_checkout"


def place_of(document: dict[str, Any]) -> str:
    return str(document["run"]["delivery_workspace"]["workspace_kind"])


def test_a_look_at_the_state_is_taken_from_anywhere(team: Loopx, places: Places) -> None:
    assert place_of(team.ok(*run(add_writing(team), kind="status"))) == "canonical_checkout"


def test_validated_work_that_writes_goes_on_where_it_was_delivered(inside: Loopx, places: Places) -> None:
    """W9.3: a later refresh matches the recorded delivery workspace."""
    inside.root = places.main
    start_lab(inside, "ann")
    todo = add_writing(inside)
    inside.ok(*run(todo), cwd=places.main)  # not validated: it binds nothing
    inside.ok(*run(todo, "--validation", "make test"), cwd=places.ann)
    refusal = inside.refused(*run(todo), cwd=places.main, code="workspace_mismatch", exit_code=3)
    assert refusal.error["details"]["recorded_workspace"] == "independent_git_worktree"
    inside.ok(*run(todo), cwd=places.bob)  # the same kind of place of the same repository
