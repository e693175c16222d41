"""`handoff qualify`: a fixed point is 0.0 from fresh processes and other worktrees, and a loss is named (W11.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from loopx.core.handoff import FIELDS
from loopx.core.instant import HOUR
from loopx.render import render
from tests.support.cli import Loopx
from tests.support.git import new_repository, new_worktree
from tests.support.lab import GOAL, add, add_gate, start_lab
from tests.support.project import foreign_hand

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.fakes import FakeClock


@pytest.fixture
def lab(inside: Loopx) -> Loopx:
    """A goal with something in every part of its surface."""
    agents = ("--agent", "ann", "--agent", "bob")
    inside.ok("init", "--goal-id", GOAL, "--objective", "Parse it", *agents, "--acceptance", "It parses")
    first = add(inside, "[P0] decide", "--required-decision-scope", "direction:action:x")
    add_gate(inside, "direction:action:x", "--blocks-agent", "bob", "--unblocks-todo-id", first)
    todo = add(inside, "work")
    inside.ok("todo", "claim", todo, "--claimed-by", "ann")
    run = ("--agent-id", "ann", "--todo-id", todo, "--run-kind", "work", "--evidence", "seen", "--validation", "t")
    inside.ok("refresh-state", *run, "--next-action", "go on", "--stop-condition", "green")
    (inside.root / "spec.md").write_text("words")
    inside.ok("material", "add", "spec", "--path", "spec.md", "--required-for", "bob")
    return inside


def qualify(lab: Loopx, rounds: int, *more: str) -> dict[str, Any]:
    return lab.ok("handoff", "qualify", "--to", "bob", "--rounds", str(rounds), *more)


def hand_over(lab: Loopx) -> None:
    lab.ok("handoff", "create", "--agent-id", "ann", "--to", "bob")


def test_fresh_processes_find_the_same_surface_and_nothing_is_written(lab: Loopx) -> None:
    before = lab.ok("log", "--limit", "500")["events"]
    found = qualify(lab, 3)
    assert (found["distance"], found["drift"], found["rounds"], found["warnings"]) == (0.0, [], 3, [])
    assert found["baseline"] == "first_reading"
    assert lab.ok("log", "--limit", "500")["events"] == before


def test_the_newest_handoff_is_the_baseline_while_nothing_was_recorded_since(lab: Loopx, clock: FakeClock) -> None:
    hand_over(lab)
    clock.advance(30 * 24 * HOUR)  # claims have gone stale meanwhile
    found = qualify(lab, 2)
    assert (found["baseline"], found["distance"]) == ("recorded_handoff", 0.0)
    assert found["evaluated_at"] == "2026-01-01T00:00:00Z"
    add(lab, "new evidence")
    assert qualify(lab, 1)["baseline"] == "first_reading"


def test_a_peer_in_another_worktree_finds_the_same_surface(inside: Loopx, tmp_path: Path) -> None:
    repository = new_repository(tmp_path / "main")
    side = new_worktree(repository, tmp_path / "side")
    inside.root = repository
    start_lab(inside)
    add(inside, "work")
    (repository / "spec.md").write_text("words")
    inside.ok("material", "add", "spec", "--path", "spec.md", "--required-for", "bob")
    (side / "spec.md").write_text("the copy of this worktree")
    hand_over(inside)
    found = qualify(inside, 3, "--from-worktree", str(side))
    assert (found["distance"], found["places"]) == (0.0, 2)


def test_a_folder_that_leads_to_another_state_is_refused(lab: Loopx, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    start_lab(Loopx(other, in_process=True))
    argv = ("handoff", "qualify", "--to", "bob", "--rounds", "2", "--from-worktree")
    lab.refused(*argv, str(other), code="workspace_mismatch", exit_code=3)
    settings = {"LOOPX_PROJECT": str(lab.root)}
    lab.refused(*argv, str(other), code="workspace_mismatch", env=settings)  # a new peer has none of ours
    lab.refused(*argv, str(tmp_path / "none"), code="usage")


@pytest.mark.parametrize("rounds", ["0", "1001", "-1"])
def test_a_number_of_rounds_out_of_range_is_refused(lab: Loopx, rounds: str) -> None:
    lab.refused("handoff", "qualify", "--rounds", rounds, code="usage", exit_code=2)


LOSSES = {
    "gates": "UPDATE todos SET text = 'another question' WHERE task_class = 'user_gate'",
    "claims": "UPDATE todos SET claim_expires_at = claim_expires_at + 1 WHERE claimed_by IS NOT NULL",
    "next_action": "UPDATE runs SET next_action = NULL",
    "stop_condition": "UPDATE runs SET stop_condition = NULL",
    "validation_surface": "UPDATE runs SET validation = NULL",
}


@pytest.mark.parametrize("field", LOSSES)
def test_a_part_that_is_dropped_from_the_store_is_named(lab: Loopx, field: str) -> None:
    hand_over(lab)
    with foreign_hand(lab.root) as db:
        assert db.execute(LOSSES[field]).rowcount >= 1
    found = qualify(lab, 1)
    assert field in found["drift"]
    assert found["distance"] == len(found["drift"]) / len(FIELDS) > 0


def registry_edit(before: str, after: str) -> Callable[[Loopx], None]:
    def edit(lab: Loopx) -> None:
        path = lab.root / ".loopx" / "registry.yaml"
        text = path.read_text()
        assert before in text
        path.write_text(text.replace(before, after))

    return edit


@pytest.mark.parametrize(
    ("field", "lose"),
    [
        ("objective", registry_edit("Parse it", "Parse")),
        ("authority", registry_edit("state: active", "state: active\n    quota: {slots: 3}")),
        ("material_frontier", lambda lab: (lab.root / "spec.md").unlink()),
    ],
)
def test_a_loss_outside_the_database_is_named_too(lab: Loopx, field: str, lose: Callable[[Loopx], None]) -> None:
    hand_over(lab)
    lose(lab)
    assert qualify(lab, 1)["drift"] == [field]


def test_a_reading_that_fails_has_lost_everything(lab: Loopx, monkeypatch: pytest.MonkeyPatch) -> None:
    error = {"ok": False, "error": {"code": "database_corrupt"}}
    monkeypatch.setattr("loopx.workspace.fresh.ask_fresh", lambda argv, folder: error)
    found = qualify(lab, 2)
    assert (found["distance"], found["drift"]) == (1.0, list(FIELDS))
    assert found["warnings"] == ["a reading failed: database_corrupt"]


def test_what_is_recorded_meanwhile_is_told(lab: Loopx, monkeypatch: pytest.MonkeyPatch) -> None:
    from loopx.workspace import fresh

    real = fresh.ask_fresh

    def busy(argv: tuple[str, ...], folder: str) -> dict[str, Any]:
        add(lab, "a peer's work")
        return real(argv, folder)

    monkeypatch.setattr("loopx.workspace.fresh.ask_fresh", busy)
    found = qualify(lab, 1)
    assert found["drift"] != []
    assert "meanwhile" in found["warnings"][0]


def test_the_text_view_says_the_distance(lab: Loopx, monkeypatch: pytest.MonkeyPatch) -> None:
    error = {"ok": False, "error": {"code": "database_corrupt"}}
    monkeypatch.setattr("loopx.workspace.fresh.ask_fresh", lambda argv, folder: error)
    assert "distance 1.0 over 1 rounds" in render(qualify(lab, 1), painted=False)
