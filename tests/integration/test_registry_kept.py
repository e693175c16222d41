"""A process that stays keeps the registry, and never tells what the file no longer says (docs/decisions/0016)."""

from __future__ import annotations

import os
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from loopx.app.mutation import Call
from loopx.app.todo_add import add_todo
from loopx.app.todo_new import NewTodo
from loopx.core.actor import Actor, ActorKind
from loopx.core.errors import GoalNotFoundError
from loopx.core.layout import REGISTRY_FILE, STATE_FOLDER
from loopx.system import RandomIds, RandomTokens
from tests.support.project import make_state, open_project

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from loopx.app.project import Project

FIRST = """\
version: 1
goals:
  - id: one
    objective: Reach it
  - id: two
    objective: Reach that
"""
SECOND = FIRST.replace("id: two", "id: six")  # as many bytes
assert len(FIRST) == len(SECOND)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_state(tmp_path, FIRST)
    return tmp_path


@pytest.fixture
def resident(root: Path) -> Iterator[Project]:
    with closing(another(root)) as project:
        add(project, "one")
        assert objective(project, "one") == "Reach it"
        yield project


def another(root: Path) -> Project:
    return open_project(root, ids=RandomIds(), tokens=RandomTokens())


def add(project: Project, goal_id: str) -> None:
    add_todo(project, Call("todo_added", Actor(ActorKind.USER), intent=None, goal_id=goal_id), NewTodo(text="work"))


def objective(project: Project, goal_id: str) -> str:
    return project.read(lambda snapshot: snapshot.registry.goal(goal_id).objective)


def replace(root: Path, text: str) -> None:
    """Other bytes under the same name, size and times, as an edit within one tick of the clock leaves them."""
    path = root / STATE_FOLDER / REGISTRY_FILE
    before = path.stat()
    path.write_text(text, encoding="utf-8")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_an_edit_by_hand_is_seen_by_the_next_read_and_the_next_write(root: Path, resident: Project) -> None:
    replace(root, SECOND)
    assert objective(resident, "six") == "Reach that"
    with pytest.raises(GoalNotFoundError):
        add(resident, "two")
    add(resident, "six")


def test_a_file_that_went_to_and_fro_is_read_as_it_is(root: Path, resident: Project) -> None:
    replace(root, SECOND)
    with closing(another(root)) as other:
        add(other, "six")  # the database's cache is of the second content now
    replace(root, FIRST)
    assert objective(resident, "two") == "Reach that"
    add(resident, "two")


def test_what_a_refused_write_has_read_is_no_cache_of_the_database(root: Path, resident: Project) -> None:
    replace(root, SECOND)
    with pytest.raises(GoalNotFoundError):
        add(resident, "nine")
    add(resident, "six")
    with closing(another(root)) as other:
        assert objective(other, "six") == "Reach that"
        assert other.read(lambda snapshot: snapshot.registry.is_cached)
