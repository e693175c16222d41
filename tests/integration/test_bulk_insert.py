"""Many todos at once leave exactly what one after the other leaves: rows, counts and history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.instant import MINUTE
from loopx.core.todo import Closure, Gate, Polling, Resume, Role, Route, Status, TaskClass, Todo
from loopx.store.bulk import insert_all
from loopx.store.recount import miscounts
from loopx.store.replay import table_state
from tests.support.fakes import START
from tests.support.project import GOAL, make_state, open_project

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any

    from loopx.store.transaction import Transaction


def todo(number: int, **fields: Any) -> Todo:
    """A todo in which only what the test gives is anything but empty."""
    base = Todo(
        todo_id=f"todo_{number:010d}",
        sequence=0,
        role=Role.AGENT,
        status=Status.OPEN,
        priority=0,
        text=f"todo {number}",
        route=Route(GOAL, TaskClass.ADVANCEMENT),
        created_at=START,
        updated_at=START,
    )
    return base._replace(**fields)


DONE = {"status": Status.DONE, "closure": Closure.NO_FOLLOWUP, "closed_at": START, "no_followup": True}
TODOS = (
    todo(1, **DONE, evidence="seen"),
    todo(2, priority=3, blocked_by=("todo_0000000001",)),
    todo(3, blocked_by=("todo_0000000001", "todo_0000000002"), acceptance=("it runs",)),
    todo(4, status=Status.DEFERRED, resume=Resume("todo_done", "todo_0000000001")),
    todo(5, route=Route(GOAL, TaskClass.MONITOR), polling=Polling(START + MINUTE, MINUTE)),
    todo(6, role=Role.USER, route=Route(GOAL, TaskClass.USER_GATE), gate=Gate("direction:goal:way", "ann")),
    todo(7, **DONE, successors=("todo_0000000002",)),
    todo(8, status=Status.BLOCKED, block_reason="known", text="é\n\u2028'\""),
)


def one_by_one(tx: Transaction) -> None:
    for one in TODOS:
        tx.insert(one)


def at_once(tx: Transaction) -> None:
    insert_all(tx, TODOS)


def left_by(root: Path, store: Callable[[Transaction], None]) -> tuple[Any, ...]:
    """What the way of storing leaves: the tables, the counts of groups, and the changes that its event says."""
    root.mkdir()
    make_state(root)
    project = open_project(root)
    with project.store.write() as tx:
        store(tx)
        assert miscounts(tx.db) == []
        groups = tx.db.execute("SELECT * FROM routes ORDER BY route_id").fetchall()
        kept = tx.db.execute(
            "SELECT todo_id, unmet, broken, resume_met, followed FROM todos ORDER BY sequence"
        ).fetchall()
        left = (table_state(tx.db), sorted(group[1:] for group in groups), kept, tx.changes)
    project.close()
    return left


def test_at_once_is_as_one_after_the_other(tmp_path: Path) -> None:
    assert left_by(tmp_path / "bulk", at_once) == left_by(tmp_path / "single", one_by_one)


def test_progress_is_told_and_sequences_go_on(tmp_path: Path) -> None:
    make_state(tmp_path)
    project = open_project(tmp_path)
    told: list[tuple[int, int]] = []
    with project.store.write() as tx:
        tx.insert(todo(1))
        insert_all(tx, [todo(number) for number in range(2, 7)], progress=lambda *now: told.append(now))
        assert tx.todo("todo_0000000006").sequence == 6
        assert tx.insert(todo(7)).sequence == 7
        insert_all(tx, [])
    project.close()
    assert told == [(5, 5)]
