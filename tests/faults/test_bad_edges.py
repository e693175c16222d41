"""Bad edges: no verb makes one, a foreign hand's are noticed, and removing one is always allowed (S1.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from loopx.app.decide import Question, should_run
from loopx.app.todo_add import add_todo
from loopx.app.todo_new import NewTodo
from loopx.app.todo_pause import block_todo, defer_todo
from loopx.app.todo_supersede import Replacement, supersede_todo
from loopx.app.todo_update import ListPatch, TodoPatch, update_todo
from loopx.core.errors import (
    DependencyCycleError,
    DependencyMissingError,
    GraphInvalidError,
    ResumeConditionUnsatisfiableError,
)
from loopx.core.todo import TaskClass
from loopx.store.recount import miscounts
from tests.support.crew import add, claim, complete, depend
from tests.support.project import call, foreign_hand, make_state, opened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from loopx.app.project import Project


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    make_state(tmp_path)
    with opened(tmp_path) as project:
        yield project


@pytest.fixture
def chain(project: Project) -> list[str]:
    """Three todos of which each waits for the one before."""
    one, two, three = (str(add(project, text=text)["todo"]["todo_id"]) for text in ("one", "two", "three"))
    depend(project, todo=two, on=one, agent="ann")
    depend(project, todo=three, on=two, agent="ann")
    return [one, two, three]


def unmet(project: Project) -> dict[str, int]:
    sql = "SELECT todo_id, unmet FROM todos ORDER BY sequence"
    return dict(project.read(lambda snapshot: snapshot.db.execute(sql).fetchall()))


def patch(project: Project, todo: str, change: ListPatch) -> None:
    update_todo(project, call("todo_updated", "ann"), todo, TodoPatch(blocked_by=change))


# --- at entry ------------------------------------------------------------------------------


def test_a_cycle_is_refused_with_its_path_through_every_door(project: Project, chain: list[str]) -> None:
    one, two, three = chain
    with pytest.raises(DependencyCycleError) as refusal:
        depend(project, todo=one, on=three, agent="ann")
    assert refusal.value.details["path"] == [one, three, two, one]
    with pytest.raises(DependencyCycleError):
        block_todo(project, call("todo_blocked", "ann"), one, (three,))
    with pytest.raises(DependencyCycleError):
        supersede_todo(project, call("todo_superseded", "ann", reason="so"), one, Replacement(successor_id=three))
    assert unmet(project) == {one: 0, two: 1, three: 1}


def bare(todo_id: str) -> str:
    return todo_id.removeprefix("todo_")


@pytest.mark.parametrize("spelling", [str, str.upper, bare, " {} ".format])
def test_a_todo_never_waits_for_itself_however_it_is_spelt(project: Project, spelling: Callable[[str], str]) -> None:
    todo = add(project, text="x")["todo"]["todo_id"]
    with pytest.raises(DependencyCycleError):
        depend(project, todo=todo, on=spelling(todo), agent="ann")


def test_a_prefix_is_stored_as_the_full_id_and_a_repeated_one_once(project: Project) -> None:
    one, two = (add(project, text=text)["todo"]["todo_id"] for text in "ab")
    patch(project, two, ListPatch((one[:-1], one, one.upper())))
    rows = project.read(lambda snapshot: snapshot.db.execute("SELECT * FROM edges").fetchall())
    assert [tuple(row) for row in rows] == [(two, one, 0)]


def test_a_diamond_is_legal_and_opens_only_at_its_last_side(project: Project) -> None:
    top, left, right, bottom = (add(project, text=text)["todo"]["todo_id"] for text in "abcd")
    for side in (left, right):
        depend(project, todo=side, on=top, agent="ann")
        depend(project, todo=bottom, on=side, agent="ann")
    assert complete(project, todo=top, agent="ann")["unblocked"] == [left, right]
    assert complete(project, todo=left, agent="ann")["unblocked"] == []
    assert complete(project, todo=right, agent="ann")["unblocked"] == [bottom]


@pytest.mark.parametrize("typed", ["todo_zzzzzzzzzz", "", "todo_", "%", "todo_%"])
def test_an_edge_to_nowhere_is_refused(project: Project, typed: str) -> None:
    with pytest.raises(DependencyMissingError):
        add_todo(project, call("todo_added"), NewTodo(text="x", blocked_by=(typed,)))


# --- waiting that can never end ------------------------------------------------------------


def test_a_todo_cannot_sleep_until_it_is_done_itself(project: Project, chain: list[str]) -> None:
    one, _, three = chain
    for awaited in (one, three):  # itself, and one that waits for it
        with pytest.raises(ResumeConditionUnsatisfiableError):
            defer_todo(project, call("todo_deferred", "ann"), one, f"todo_done:{awaited}")


def test_an_edge_cannot_close_a_circle_with_a_sleeping_todo(project: Project) -> None:
    sleeper, awaited = (add(project, text=text)["todo"]["todo_id"] for text in "ab")
    defer_todo(project, call("todo_deferred", "ann"), sleeper, f"todo_done:{awaited}")
    with pytest.raises(DependencyCycleError):
        depend(project, todo=awaited, on=sleeper, agent="ann")
    with pytest.raises(ResumeConditionUnsatisfiableError):
        supersede_todo(project, call("todo_superseded", "ann", reason="so"), awaited, Replacement(successor_id=sleeper))


def test_a_blocker_that_waits_for_a_superseded_todo_follows_to_what_replaced_it(project: Project) -> None:
    awaited = add(project, text="old")["todo"]["todo_id"]
    new = NewTodo(text="held", task_class=TaskClass.BLOCKER, resume_when=f"todo_done:{awaited}")
    blocker = add_todo(project, call("todo_added"), new)["todo"]["todo_id"]
    asked = call("todo_superseded", "ann", reason="so")
    (replacement,) = supersede_todo(project, asked, awaited, Replacement(text="new"))["successors"]
    sql = "SELECT resume_ref, resume_met FROM todos WHERE todo_id = ?"
    row = project.read(lambda snapshot: snapshot.db.execute(sql, (blocker,)).fetchone())
    assert tuple(row) == (replacement, 0)


# --- a foreign hand ------------------------------------------------------------------------

CYCLE = "INSERT INTO edges VALUES (:one, :three, 0)"
MISSING = "INSERT INTO edges VALUES (:one, 'todo_nowhere', 0)"
SELF = "INSERT INTO edges VALUES (:one, :one, 0)"
FOREIGN_EDITS = {"cycle": CYCLE, "missing": MISSING, "self": SELF}


def edited(root: Path, statement: str, chain: list[str]) -> None:
    with foreign_hand(root) as db:
        db.execute("PRAGMA ignore_check_constraints = ON")
        db.execute(statement, dict(zip(("one", "two", "three"), chain, strict=True)))


@pytest.mark.parametrize("kind", FOREIGN_EDITS)
def test_nothing_is_written_on_a_graph_that_a_foreign_hand_broke_until_the_edge_is_removed(
    tmp_path: Path, project: Project, chain: list[str], kind: str
) -> None:
    one, two, three = chain
    edited(tmp_path, FOREIGN_EDITS[kind], chain)
    with pytest.raises(GraphInvalidError) as refusal:
        claim(project, todo=two, agent="ann")
    assert kind in str(refusal.value.details["faults"])
    with pytest.raises(GraphInvalidError):
        add(project, text="x")
    with pytest.raises(GraphInvalidError):
        should_run(project, Question(None, "ann"))
    end = {"cycle": three, "missing": "todo_nowhere", "self": one}[kind]
    patch(project, one, ListPatch(remove=(end,)))
    claim(project, todo=two, agent="ann")
    assert unmet(project) == {one: 0, two: 1, three: 1}
    assert project.read(lambda snapshot: miscounts(snapshot.db)) == []


def test_a_graph_with_two_faults_is_mended_one_edge_at_a_time(
    tmp_path: Path, project: Project, chain: list[str]
) -> None:
    one, two, three = chain
    edited(tmp_path, CYCLE, chain)
    edited(tmp_path, "INSERT INTO edges VALUES (:two, 'todo_nowhere', 1)", chain)
    patch(project, one, ListPatch(clear=True))
    with pytest.raises(GraphInvalidError):
        claim(project, todo=one, agent="ann")
    patch(project, two, ListPatch(remove=("nowhere",)))
    claim(project, todo=one, agent="ann")
    assert complete(project, todo=one, agent="ann")["unblocked"] == [two]
    assert unmet(project) == {one: 0, two: 0, three: 1}


def test_a_mend_that_leaves_the_fault_is_not_taken_for_one(tmp_path: Path, project: Project, chain: list[str]) -> None:
    edited(tmp_path, MISSING, chain)
    patch(project, chain[2], ListPatch(clear=True))
    with pytest.raises(GraphInvalidError):
        add(project, text="x")


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO edges VALUES (:three, :one, 1)",
        "DELETE FROM edges WHERE todo_id = :three",
        "UPDATE todos SET status = 'blocked', block_reason = 'by hand' WHERE todo_id = :three",
        "UPDATE todos SET status = 'done', closure = 'completed', closed_at = 1 WHERE todo_id = :one",
    ],
)
def test_after_a_legal_foreign_edit_the_next_write_counts_everything_anew(
    tmp_path: Path, project: Project, chain: list[str], statement: str
) -> None:
    edited(tmp_path, statement, chain)
    with pytest.raises(GraphInvalidError):
        should_run(project, Question(None, "ann"))
    add(project, text="any write")
    should_run(project, Question(None, "ann"))
    assert project.read(lambda snapshot: miscounts(snapshot.db)) == []
    one, two, _ = chain
    if not statement.startswith("UPDATE todos SET status = 'done'"):
        complete(project, todo=one, agent="ann")
    complete(project, todo=two, agent="ann")
    assert project.read(lambda snapshot: miscounts(snapshot.db)) == []


def test_a_deleted_todo_that_others_wait_for_is_a_missing_node(
    tmp_path: Path, project: Project, chain: list[str]
) -> None:
    one, two, _ = chain
    edited(tmp_path, "DELETE FROM todos WHERE todo_id = :one", chain)
    with pytest.raises(GraphInvalidError):
        add(project, text="x")
    patch(project, two, ListPatch(remove=(one,)))
    assert claim(project, todo=two, agent="ann")["todo"]["claimed_by"] == "ann"
