"""No hot command visits every todo: each statement that it really runs is bounded by an index (budgets).

The statements are not listed here but traced while the use cases run, so that a new one is asked about too.
"""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

import pytest

from loopx.app.claim_next import Wish, claim_next
from loopx.app.decide import Question, should_run
from loopx.app.inbox import read_inbox
from loopx.app.lease import LeaseRequest, LeaseStep, acquire_lease, renew_lease
from loopx.app.lease_view import list_leases, show_lease
from loopx.app.page import Page
from loopx.app.status import read_status
from loopx.app.successors import Following
from loopx.app.todo_claim import claim_todo
from loopx.app.todo_complete import Completion, complete_todo
from loopx.app.todo_list import Wanted, list_todos
from loopx.app.todo_show import show_todo
from loopx.core.instant import HOUR
from loopx.core.todo import Role, Route, Status, TaskClass, Todo
from loopx.store.bulk import insert_all
from tests.support.fakes import START, FakeClock
from tests.support.project import GOAL, call, make_state, open_project

if TYPE_CHECKING:
    from pathlib import Path

    from loopx.app.project import Project

SMALL, LARGE = 100, 4_000
FIRST = 5_000_000  # far from the ids that the fakes count
PAGE = Page(limit=20)

# Read whole at times, since they hold nothing but what is leased, softly claimed or asleep until something happens.
FEW = {"todos_leased", "todos_soft", "todos_resuming"}
# One row, or as many as the statement itself brings.
NOT_A_TABLE = {
    *("graph_guard", "g", "json_each", "CONSTANT", "sqlite_sequence"),
    *("ranked", "parts", "dependencies"),  # inner queries, whose own steps are looked at
}


class Bench(NamedTuple):
    """A project with work to take, and what its calls are given."""

    project: Project
    clock: FakeClock
    leased: dict[str, str]  # what the answer said of a live lease
    free: Callable[[], str]  # another todo that nobody holds


@pytest.fixture(scope="module")
def templates(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """A project of each size, built once."""
    return {size: grown(tmp_path_factory.mktemp("project"), size) for size in (SMALL, LARGE)}


@pytest.fixture
def bench(templates: dict[int, Path], tmp_path: Path) -> Iterator[Bench]:
    yield from opened(templates, LARGE, tmp_path / "large")


@pytest.fixture
def few(templates: dict[int, Path], tmp_path: Path) -> Iterator[Bench]:
    yield from opened(templates, SMALL, tmp_path / "small")


def grown(root: Path, size: int) -> Path:
    """Open todos of which all but a tenth wait for two others, and some that are blocked."""
    make_state(root)
    with closing(open_project(root)) as project, project.store.write() as tx:
        insert_all(tx, [_todo(number, size) for number in range(size)])
    return root


def opened(templates: dict[int, Path], size: int, root: Path) -> Iterator[Bench]:
    """A copy in which one todo is leased and one softly claimed."""
    shutil.copytree(templates[size], root)
    clock = FakeClock()
    with closing(open_project(root, clock=clock)) as project:
        ids = (f"todo_{number:010d}" for number in range(FIRST, FIRST + size // 10))
        lease = acquire_lease(project, call("lease_acquired", "ann"), LeaseRequest(next(ids), ttl=HOUR))["lease"]
        claim_todo(project, call("todo_claimed", "bob"), next(ids), None)
        yield Bench(project, clock, lease, lambda: next(ids))


def _todo(number: int, size: int) -> Todo:
    todo = Todo(
        todo_id=f"todo_{FIRST + number:010d}",
        sequence=0,
        role=Role.AGENT,
        status=Status.OPEN,
        priority=number % 5,
        text=f"todo {number}",
        route=Route(GOAL, TaskClass.ADVANCEMENT),
        created_at=START,
        updated_at=START,
    )
    if number < size // 10:
        return todo
    if number % 10 == 3:
        return todo._replace(status=Status.BLOCKED, block_reason="known")
    return todo._replace(blocked_by=tuple(f"todo_{FIRST + number // 5 - place:010d}" for place in range(2)))


def claim(bench: Bench) -> None:
    claim_todo(bench.project, call("todo_claimed", "ann"), bench.free(), None)


def take(bench: Bench) -> None:
    claim_next(bench.project, call("todo_claimed_next", "ann"), Wish())


def complete(bench: Bench) -> None:
    own = call("todo_completed", "ann", claim_token=bench.leased["claim_token"])
    done = Completion(evidence="seen", following=Following(no_followup=True))
    complete_todo(bench.project, own, bench.leased["todo_id"], done)


def renew(bench: Bench) -> None:
    renew_lease(bench.project, call("lease_renewed", "ann"), LeaseStep(bench.leased["lease_id"]))


def expire(bench: Bench) -> None:
    bench.clock.advance(2 * HOUR)
    take(bench)


def decide(bench: Bench) -> None:
    should_run(bench.project, Question(GOAL, "cy"))


def show(bench: Bench) -> None:
    show_todo(bench.project, bench.leased["todo_id"])


def browse(bench: Bench) -> None:
    list_todos(bench.project, Wanted(goal_id=GOAL), PAGE)


def look(bench: Bench) -> None:
    list_leases(bench.project, None, PAGE)
    show_lease(bench.project, bench.leased["lease_id"], None)


def inbox(bench: Bench) -> None:
    read_inbox(bench.project, GOAL, PAGE)


def status(bench: Bench) -> None:
    read_status(bench.project, GOAL, PAGE)


HOT = {
    verb.__name__: verb for verb in (claim, take, complete, renew, expire, decide, show, browse, look, inbox, status)
}


@pytest.fixture
def traced(bench: Bench) -> list[str]:
    """The statements that run from now on, with their values."""
    statements: list[str] = []
    for db in connections(bench.project):
        db.set_trace_callback(statements.append)
    return statements


def connections(project: Project) -> tuple[sqlite3.Connection, sqlite3.Connection]:
    """The reading and the writing one, open."""
    decide(Bench(project, FakeClock(), {}, str))
    reader, writer = project.embedded._reader, project.embedded._writer
    assert reader is not None
    assert writer is not None
    return reader, writer


@pytest.mark.parametrize("verb", HOT.values(), ids=HOT)
def test_no_statement_of_a_hot_command_scans_a_table(
    bench: Bench, traced: list[str], verb: Callable[[Bench], None]
) -> None:
    verb(bench)
    asked = [statement for statement in traced if re.match(r"SELECT|UPDATE|DELETE|WITH|INSERT", statement)]
    assert asked
    with closing(sqlite3.connect(bench.project.paths.database)) as db:
        scans = {row: statement for statement in dict.fromkeys(asked) for row in plan(db, statement) if is_scan(row)}
    assert scans == {}


def plan(db: sqlite3.Connection, statement: str) -> list[str]:
    return [row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {statement}")]


def is_scan(row: str) -> bool:
    """Whether the step visits a whole table or an index that grows with the todos."""
    found = re.match(r"SCAN (\S+)(?: USING (?:COVERING )?INDEX (\S+))?", row)
    if found is None or found[1] in NOT_A_TABLE or found[1].startswith("("):
        return False
    return found[2] not in FEW


def test_a_scan_is_seen(bench: Bench) -> None:
    with closing(sqlite3.connect(bench.project.paths.database)) as db:
        for condition in ("priority = 1", "task_class = 'blocker'"):
            assert [row for row in plan(db, f"SELECT 1 FROM todos WHERE {condition}") if is_scan(row)]


@pytest.mark.parametrize(
    "verb", [claim, take, complete, renew, expire, decide, show, look], ids=lambda verb: verb.__name__
)
def test_a_hot_command_does_as_much_in_a_large_project_as_in_a_small_one(
    bench: Bench, few: Bench, verb: Callable[[Bench], None]
) -> None:
    large, small = (steps_of(one, verb) for one in (bench, few))
    assert large <= 1.5 * small, "SQLite's own count of its steps, which no machine's speed changes"


def steps_of(bench: Bench, verb: Callable[[Bench], None]) -> int:
    """How many steps of its virtual machine SQLite takes."""
    ticks: list[None] = []
    for db in connections(bench.project):
        db.set_progress_handler(lambda: ticks.append(None), 1)
    verb(bench)
    return len(ticks)
