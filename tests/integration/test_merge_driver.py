"""`loopx merge` as git calls it, in real repositories with branches, conflicts and worktrees."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.cli import COMMAND, Loopx, clean_environment
from tests.support.git import git, new_repository, new_worktree

GRAPH = "graph.jsonl"
HEADER = {"format": "loopx-export", "version": 1}


def todo(todo_id: str, text: str, updated: str = "2026-01-01T00:00:00Z", **more: Any) -> dict[str, Any]:
    return {
        "kind": "todo", "id": todo_id, "created_at": "2026-01-01T00:00:00Z", "goal_id": "lab", "priority": 2,
        "role": "agent", "sequence": 1, "status": "open", "task_class": "advancement_task", "text": text,
        "updated_at": updated, "version": 1, **more,
    }  # fmt: skip


def save(folder: Path, *rows: dict[str, Any], message: str = "change") -> None:
    lines = [json.dumps(row, sort_keys=False) for row in (HEADER, *sorted(rows, key=lambda row: row["id"]))]
    (folder / GRAPH).write_text("\n".join(lines) + "\n", encoding="utf-8")
    git(folder, "add", GRAPH)
    git(folder, "commit", "--quiet", f"--message={message}")


def texts(folder: Path) -> dict[str, str]:
    lines = (folder / GRAPH).read_text(encoding="utf-8").splitlines()[1:]
    return {row["id"]: row["text"] for row in map(json.loads, lines)}


def merging(folder: Path, branch: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["git", "-c", "user.name=S", "-c", "user.email=s@example.com", "merge", "--no-edit", branch],
        cwd=folder, env=clean_environment({}), capture_output=True, text=True, timeout=60,
    )  # fmt: skip


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository that merges exports by the driver, with one export in it."""
    folder = new_repository(tmp_path / "repo")
    (folder / ".gitattributes").write_text("*.jsonl merge=loopx\n", encoding="utf-8")
    git(folder, "config", "merge.loopx.name", "loopx export")
    git(folder, "config", "merge.loopx.driver", f"{shlex.quote(COMMAND)} merge %O %A %B")
    git(folder, "add", ".gitattributes")
    save(folder, todo("todo_1", "one"), todo("todo_2", "two"), message="base")
    return folder


def on_branch(folder: Path, *rows: dict[str, Any], name: str = "side") -> None:
    git(folder, "checkout", "--quiet", "-b", name)
    save(folder, *rows, message=name)
    git(folder, "checkout", "--quiet", "main")


def test_two_branches_that_add_and_edit_come_together(repository: Path) -> None:
    on_branch(
        repository, todo("todo_1", "one, there", "2026-01-02T00:00:00Z"), todo("todo_2", "two"), todo("todo_4", "x")
    )
    save(repository, todo("todo_1", "one"), todo("todo_2", "two, here", "2026-01-02T00:00:00Z"), todo("todo_3", "y"))
    done = merging(repository, "side")
    assert done.returncode == 0, done.stdout + done.stderr
    assert texts(repository) == {"todo_1": "one, there", "todo_2": "two, here", "todo_3": "y", "todo_4": "x"}
    assert git(repository, "status", "--porcelain") == ""


def test_what_both_changed_is_a_conflict_with_a_readable_file(repository: Path) -> None:
    on_branch(repository, todo("todo_1", "theirs", "2026-01-03T00:00:00Z"), todo("todo_2", "two"))
    save(repository, todo("todo_1", "ours", "2026-01-02T00:00:00Z"), todo("todo_2", "two"))
    assert merging(repository, "side").returncode != 0
    assert git(repository, "diff", "--name-only", "--diff-filter=U") == GRAPH
    assert texts(repository)["todo_1"] == "theirs", "the later change wins until a person looks"


def test_closed_work_wins_without_a_conflict(repository: Path) -> None:
    closed = {"status": "done", "closure": "completed", "closed_at": "2026-01-02T00:00:00Z", "evidence": "seen"}
    on_branch(repository, todo("todo_1", "one", "2026-01-02T00:00:00Z", **closed), todo("todo_2", "two"))
    save(repository, todo("todo_1", "one", "2026-01-03T00:00:00Z", status="blocked", block_reason="no access"),
         todo("todo_2", "two"))  # fmt: skip
    done = merging(repository, "side")
    assert done.returncode == 0, done.stdout + done.stderr
    assert '"closure":"completed"' in (repository / GRAPH).read_text(encoding="utf-8")


def test_a_linked_worktree_merges_by_the_same_driver(repository: Path, tmp_path: Path) -> None:
    side = new_worktree(repository, tmp_path / "side")
    save(side, todo("todo_1", "one"), todo("todo_2", "two"), todo("todo_3", "of the side"))
    save(repository, todo("todo_1", "one"), todo("todo_2", "two"), todo("todo_4", "of the main"))
    done = merging(side, "main")
    assert done.returncode == 0, done.stdout + done.stderr
    assert set(texts(side)) == {"todo_1", "todo_2", "todo_3", "todo_4"}


def test_three_branches_give_the_same_in_either_order(repository: Path, tmp_path: Path) -> None:
    one, two = todo("todo_1", "one"), todo("todo_2", "two")
    on_branch(repository, one, two, todo("todo_3", "a"), name="a")
    on_branch(repository, todo("todo_1", "b", "2026-01-02T00:00:00Z"), two, name="b")
    on_branch(repository, one, two, todo("todo_5", "c"), name="c")
    found = []
    for order in (("a", "b", "c"), ("c", "b", "a")):
        git(repository, "checkout", "--quiet", "-B", "-".join(order), "main")
        for branch in order:
            assert merging(repository, branch).returncode == 0
        found.append((repository / GRAPH).read_bytes())
    assert found[0] == found[1]


def test_conflict_markers_are_refused_with_their_lines(tmp_path: Path) -> None:
    new_repository(tmp_path / "repo")
    lab = Loopx(tmp_path / "repo")
    whole = json.dumps(HEADER) + "\n" + json.dumps(todo("todo_1", "one")) + "\n"
    for name in ("base", "theirs"):
        (lab.root / name).write_text(whole, encoding="utf-8")
    marked = whole + "<<<<<<< ours\n" + json.dumps(todo("todo_2", "two")) + "\n>>>>>>> theirs\n"
    (lab.root / "ours").write_text(marked, encoding="utf-8")
    refusal = lab.refused("merge", "base", "ours", "theirs", code="import_invalid")
    assert [row["line"] for row in refusal.error["details"]["rejected"]][:1] == [3]
    assert (lab.root / "ours").read_text(encoding="utf-8") == marked


def test_real_exports_of_two_clones_merge_and_come_home(tmp_path: Path) -> None:
    lab = Loopx(tmp_path)
    lab.ok("init", "--goal-id", "lab", "--objective", "Find out", "--agent", "ann")
    lab.ok("todo", "add", "--text", "first")
    lab.ok("export", "base.jsonl")
    lab.ok("todo", "add", "--text", "second")
    lab.ok("export", "ours.jsonl")
    lab.ok("merge", "base.jsonl", "ours.jsonl", "base.jsonl", "--output", "merged.jsonl")
    assert (tmp_path / "merged.jsonl").read_bytes() == (tmp_path / "ours.jsonl").read_bytes()
    assert lab.ok("import", "--from", "loopx", "merged.jsonl")["counts"]["added"] == 0
