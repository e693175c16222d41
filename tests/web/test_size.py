"""What a page costs follows what it shows, not how much there is: rows, bytes and steps of the database are counted."""

from __future__ import annotations

import sys
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from loopx.app import mutation
from loopx.app.mutation import Outcome, mutate
from loopx.core.actor import Actor, ActorKind
from loopx.core.todo import Closure, Gate, Role, Route, Status, TaskClass, Todo
from loopx.store.bulk import insert_all
from loopx.web.access import new_access
from loopx.web.pages import PAGES
from loopx.web.site import Site
from loopx.web.view import ROWS, Asked
from tests.support.fakes import START, SequenceIds, SequenceTokens
from tests.support.project import GOAL, call, make_state, open_project

if TYPE_CHECKING:
    from pathlib import Path

    from loopx.app.project import Project

SMALL, LARGE = 1_000, 10_000
STEP = 50  # virtual machine instructions between two counts
SCOPE = "direction:action:way"


def todo(number: int) -> Todo:
    """The todos of a busy goal in turn: free, gated, waiting, blocked, closed, in three capabilities."""
    base = Todo(
        todo_id=f"todo_{number:010d}",
        sequence=0,
        role=Role.AGENT,
        status=Status.OPEN,
        priority=number % 5,
        text=f"[P{number % 5}] Piece {number} of the work, in a sentence as people write them",
        route=Route(GOAL, TaskClass.ADVANCEMENT, required_capabilities=(f"c{number % 3}",)),
        created_at=START,
        updated_at=START,
    )
    match number % 8:
        case 1:
            return base._replace(route=base.route._replace(required_decision_scopes=(SCOPE,)))
        case 2 | 3:
            return base._replace(blocked_by=(f"todo_{number - 2:010d}",))
        case 4:
            return base._replace(status=Status.BLOCKED, block_reason="stated")
        case 5:
            return base._replace(
                status=Status.DONE, closure=Closure.NO_FOLLOWUP, closed_at=START + number, no_followup=True
            )
    return base


def gate(number: int) -> Todo:
    route = Route(GOAL, TaskClass.USER_GATE)
    return todo(8 * number)._replace(
        todo_id=f"todo_gate{number:06d}", role=Role.USER, route=route, gate=Gate(SCOPE, "ann")
    )


def grown(root: Path, size: int) -> Path:
    """A project of that many todos, and three gates."""
    root.mkdir()
    make_state(root)

    def change(work: mutation.Work) -> Outcome:
        insert_all(work.tx, [*(todo(number) for number in range(size)), *(gate(number) for number in range(3))])
        return Outcome({})

    with closing(open_project(root)) as project:
        mutate(project, call("todo_added"), change)
    return root


@pytest.fixture(scope="module")
def roots(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    folder = tmp_path_factory.mktemp("sizes")
    return {size: grown(folder / str(size), size) for size in (SMALL, LARGE)}


class Work:
    """What happens while it is on: steps of the project's database, and calls of Python, each of which costs ten."""

    def __init__(self, project: Project) -> None:
        project.store.change_mark()  # opens the connection
        assert project.embedded._reader is not None
        self.done = 0
        project.embedded._reader.set_progress_handler(self._step, STEP)

    def _step(self) -> int:
        self.done += STEP
        return 0

    def _event(self, _: object, kind: str, __: object) -> None:
        if kind in ("call", "c_call"):
            self.done += 10

    def __enter__(self) -> Work:
        sys.setprofile(self._event)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)


def load(root: Path, path: str) -> tuple[int, bytes]:
    """The work and the bytes of a page, once its template is compiled."""
    access = new_access(SequenceTokens(), host="127.0.0.1", port=1, machine="box", is_exposed=False)
    with closing(open_project(root)) as project:
        site = Site(lambda: project, access, actor=Actor(ActorKind.USER), role=None, ids=SequenceIds())
        asked = Asked(path, {}, "todo_0000000006")
        site._page(project, PAGES[path], asked)
        with Work(project) as work:
            page = site._page(project, PAGES[path], asked)
        return work.done, bytes(page.body)


@pytest.mark.parametrize("path", PAGES)
def test_a_page_of_ten_thousand_todos_costs_no_more_than_twice_one_of_a_thousand(
    roots: dict[int, Path], path: str
) -> None:
    small, large = load(roots[SMALL], path), load(roots[LARGE], path)
    assert large[0] <= 2 * small[0], (path, large[0], small[0])
    assert len(large[1]) <= 2 * len(small[1])
    assert len(large[1]) < 600_000


@pytest.mark.parametrize("path", PAGES)
def test_a_page_has_at_most_five_hundred_rows(roots: dict[int, Path], path: str) -> None:
    _, body = load(roots[LARGE], path)
    assert body.count(b"<li") + body.count(b'class="node') <= ROWS, path
    assert b'id="problem"' not in body


def test_what_is_cut_says_how_many_there_are(roots: dict[int, Path]) -> None:
    _, body = load(roots[LARGE], "/board")
    assert b"The first 80 of 3,750; list them" in body
