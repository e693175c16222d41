"""Projects to measure on: ready todos first, and behind them a graph with two edges a todo.

Todos are built as `todo add` builds them, and stored as an import stores them: many in one transaction.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from loopx.app.mutation import Call, Outcome, Work, mutate
from loopx.app.project import Project
from loopx.app.todo_new import NewTodo, build_todo
from loopx.core.actor import Actor, ActorKind
from loopx.store.bulk import insert_all
from loopx.system import RandomIds, RandomTokens, SystemClock
from loopx.workspace.discovery import locate

GOAL = "bench"
AGENT = "agent-a"
PEER = "agent-b"
FRONT = 100  # todos that wait for nothing; every later one waits for two earlier
BATCH = 1_000  # todos a transaction, and never more than are known: an edge leads to a stored todo


class Lab:
    """One project of a known size."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @classmethod
    def seeded(cls, root: Path, size: int) -> Lab:
        """A new project with `size` open todos."""
        lab = cls.empty(root)
        lab.grow(size)
        return lab

    @classmethod
    def empty(cls, root: Path) -> Lab:
        """A new project without todos."""
        agents = [word for agent in (AGENT, PEER) for word in ("--agent", agent)]
        argv = ["init", "--goal-id", GOAL, "--objective", "Measure the commands", *agents]
        subprocess.run([sys.executable, "-m", "loopx", *argv], cwd=root, check=True, capture_output=True)
        return cls(root)

    def grow(self, size: int) -> None:
        """A graph of `size` todos in which all behind the front wait for two earlier ones."""
        known: list[str] = []
        while len(known) < size:
            known += self.add(min(len(known) or FRONT, BATCH, size - len(known)), known)

    def add_ready(self, count: int) -> None:
        """Todos that wait for nothing."""
        for start in range(0, count, BATCH):
            self._store([_numbered([], number) for number in range(start, min(start + BATCH, count))])

    def add_blocked_first(self, blocked: int, *, ready: int) -> None:
        """So many todos that wait for one that a peer has claimed, and behind them in every order the ready ones."""
        (root,) = self._store([NewTodo(text="[P0] What all wait for", claimed_by=PEER)])
        for start in range(0, blocked, BATCH):
            count = min(BATCH, blocked - start)
            self._store([NewTodo(text=f"[P0] Waiting {start + place}", blocked_by=(root,)) for place in range(count)])
        for start in range(0, ready, BATCH):
            count = min(BATCH, ready - start)
            self._store([NewTodo(text=f"[P4] Ready {start + place}") for place in range(count)])

    def fresh(self, *, claimed_by: str | None = None) -> str:
        """A ready todo that no call has touched yet."""
        (todo_id,) = self._store([NewTodo(text="[P1] Fresh work", claimed_by=claimed_by)])
        return todo_id

    def add(self, count: int, known: list[str]) -> list[str]:
        """The ids of `count` more todos; `known` are the ones that stand before them."""
        return self._store([_numbered(known, len(known) + place) for place in range(count)])

    def _store(self, wanted: list[NewTodo]) -> list[str]:
        stored: list[str] = []

        def change(work: Work) -> Outcome:
            todos = [build_todo(work, new) for new in wanted]
            insert_all(work.tx, todos)
            stored.extend(todo.todo_id for todo in todos)
            return Outcome({})

        call = Call("todo_added", Actor(ActorKind.USER, None), intent=None, goal_id=GOAL)
        with self._project() as project:
            mutate(project, call, change)
        return stored

    @contextmanager
    def _project(self) -> Iterator[Project]:
        location = locate(option=str(self.root), environment=None, cwd=None)
        project = Project(location, clock=SystemClock(), ids=RandomIds(), tokens=RandomTokens())
        try:
            yield project
        finally:
            project.close()


def _numbered(known: list[str], number: int) -> NewTodo:
    """The todo at that place of the creation order; behind the front it waits for two of the `known`."""
    return NewTodo(
        text=f"[P{number % 5}] Piece {number} of the work, in a sentence as people write them",
        blocked_by=(known[number // 2], known[number // 3]) if known else (),
    )
