"""`store migrate`: everything arrives as it was, once, and what was left behind says where it went."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import pytest

from loopx import failpoint
from loopx.cli.context import Ports
from loopx.core.layout import MOVED_FILE, STATE_FOLDER
from loopx.settings import DATABASE_URL
from tests.support.cli import Loopx
from tests.support.fakes import FakeClock, SequenceIds, SequenceTokens
from tests.support.lab import add, start_lab

pytestmark = pytest.mark.sqlite_only("begins with a project in files")


@pytest.fixture
def lab(inside: Loopx) -> Loopx:
    """A project with work in every state that a row can be in."""
    lab = start_lab(inside)
    first = add(lab, "first")
    add(lab, "second", "--blocked-by", first)
    add(lab, "a\ttab, a \\ and a\nline – ü 😀")
    lab.ok("todo", "claim", "--todo-id", first, "--claimed-by", "ann")
    lab.ok("fact", "record", "pr_merged:1", "--evidence", "seen")
    lab.ok("agent", "register", "--agent-id", "dee")
    return lab


def on_server(lab: Loopx, url: str, *argv: str) -> dict[str, object]:
    return lab.ok(*argv, env={DATABASE_URL: url})


def test_the_project_is_the_same_on_the_server(lab: Loopx, database_url: str) -> None:
    questions = (
        ("todo", "list"),
        ("log",),
        ("goal", "list"),
        ("status",),
        ("quota", "should-run", "--agent-id", "bob"),
    )
    before = [lab.ok(*words) for words in questions]
    moved = lab.ok("store", "migrate", "--to", database_url)
    assert [on_server(lab, database_url, *words) for words in questions] == before
    assert on_server(lab, database_url, "doctor")["findings"] == []
    assert moved["events"] == len(before[1]["events"])


def test_work_goes_on_there(lab: Loopx, database_url: str) -> None:
    lab.ok("store", "migrate", "--to", database_url)
    on_server(lab, database_url, "todo", "add", "--text", "new")
    on_server(lab, database_url, "todo", "claim-next", "--agent-id", "bob")
    assert on_server(lab, database_url, "doctor")["healthy"] is True


def test_what_is_left_behind_says_where_the_state_is(lab: Loopx, database_url: str) -> None:
    lab.ok("store", "migrate", "--to", database_url)
    for words in (("todo", "list"), ("todo", "add", "--text", "lost"), ("store", "migrate", "--to", database_url)):
        told = lab.refused(*words, code="state_moved", exit_code=3).error
        assert "postgresql" in told["details"]["address"]


def test_a_dry_run_leaves_both_ends_alone(lab: Loopx, database_url: str) -> None:
    assert lab.ok("store", "migrate", "--to", database_url, "--dry-run")["dry_run"] is True
    assert not (lab.root / STATE_FOLDER / MOVED_FILE).exists()
    lab.refused("todo", "list", env={DATABASE_URL: database_url}, code="project_not_found")
    add(lab, "goes on here")


def test_a_server_with_a_project_is_refused(lab: Loopx, database_url: str, tmp_path: Path) -> None:
    lab.ok("init", cwd=tmp_path, env={DATABASE_URL: database_url})
    lab.refused("store", "migrate", "--to", database_url, code="target_exists")
    add(lab, "goes on here")


def test_an_agent_does_not_move_the_state(lab: Loopx, database_url: str) -> None:
    words = ("--agent-id", "ann", "store", "migrate", "--to", database_url)
    lab.refused(*words, code="user_decision_required")


@pytest.mark.parametrize("place", ["move: proven", "move: committed"])
def test_a_move_that_was_cut_off_is_finished_by_the_next(lab: Loopx, database_url: str, place: str) -> None:
    class Cut(BaseException):
        pass

    def cut(name: str) -> None:
        if name == place:
            raise Cut

    with patch.object(failpoint, "reach", cut), pytest.raises(Cut):
        lab.call("store", "migrate", "--to", database_url)
    lab.ok("todo", "list")
    lab.ok("store", "migrate", "--to", database_url)
    assert len(on_server(lab, database_url, "todo", "list")["todos"]) == 3  # type: ignore[arg-type]


def test_work_after_a_cut_off_move_keeps_it_from_being_taken_for_whole(lab: Loopx, database_url: str) -> None:
    class Cut(BaseException):
        pass

    def cut(name: str) -> None:
        if name == "move: committed":
            raise Cut

    with patch.object(failpoint, "reach", cut), pytest.raises(Cut):
        lab.call("store", "migrate", "--to", database_url)
    add(lab, "later")
    lab.refused("store", "migrate", "--to", database_url, code="target_exists")


def test_a_process_that_has_the_state_open_writes_nothing_more(lab: Loopx, database_url: str) -> None:
    from loopx.app.todo_add import add_todo
    from loopx.app.todo_new import NewTodo
    from loopx.core.errors import StateMovedError
    from tests.support.project import call, opened

    with opened(lab.root, clock=FakeClock()) as project:
        add_todo(project, call("todo_added"), NewTodo(text="before"))
        Loopx(lab.root, in_process=True, ports=Ports(FakeClock(), SequenceIds(), SequenceTokens())).ok(
            "store", "migrate", "--to", database_url
        )
        with pytest.raises(StateMovedError):
            add_todo(project, call("todo_added"), NewTodo(text="after"))
