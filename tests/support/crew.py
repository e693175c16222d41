"""Processes that act at the same instant: what two programs on one project do to each other.

A crew is spawned once and used for many rounds. In a round each of its members carries out one verb
of `DEEDS` on a project of its own opening; a barrier lets all of them begin together.
"""

from __future__ import annotations

import multiprocessing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loopx.app.lease import LeaseRequest, acquire_lease
from loopx.app.successors import Following
from loopx.app.todo_add import add_todo
from loopx.app.todo_claim import claim_todo
from loopx.app.todo_complete import Completion, complete_todo
from loopx.app.todo_new import NewTodo
from loopx.app.todo_update import ListPatch, TodoPatch, update_todo
from loopx.core.errors import LoopxError
from loopx.system import RandomIds, RandomTokens, SystemClock
from tests.support.project import call, open_project

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from multiprocessing.connection import Connection
    from threading import Barrier

    from loopx.app.project import Project

SIZES = (2, 4, 8, 16)
PATIENCE_SECONDS = 60.0  # a process that hangs must fail its test, not the suite
OK = "ok"

Deed = tuple[str, dict[str, Any]]


def claim(project: Project, *, todo: str, agent: str) -> dict[str, Any]:
    return claim_todo(project, call("todo_claimed", agent), todo, None)


def acquire(project: Project, *, todo: str, agent: str) -> dict[str, Any]:
    return acquire_lease(project, call("lease_acquired", agent), LeaseRequest(todo))


def complete(project: Project, *, todo: str, agent: str, then: str | None = None) -> dict[str, Any]:
    done = Completion(evidence="seen", following=Following(agent_todos=(then,) if then else ()))
    return complete_todo(project, call("todo_completed", agent), todo, done)


def depend(project: Project, *, todo: str, on: str, agent: str) -> dict[str, Any]:
    patch = TodoPatch(blocked_by=ListPatch((on,)))
    return update_todo(project, call("todo_updated", agent), todo, patch)


def add(project: Project, *, text: str, operation: str | None = None) -> dict[str, Any]:
    asked = call("todo_added", None, operation_id=operation, intent=text)
    return add_todo(project, asked, NewTodo(text=text))


DEEDS: dict[str, Callable[..., dict[str, Any]]] = {
    "claim": claim, "acquire": acquire, "complete": complete, "depend": depend, "add": add,
}  # fmt: skip


class Crew:
    """As many processes as the largest round needs."""

    def __init__(self) -> None:
        spawn = multiprocessing.get_context("spawn")
        self._barriers = {size: spawn.Barrier(size) for size in SIZES}  # a barrier lives as long as its maker's
        self._ends: list[Connection] = []
        self._processes = []
        for _ in range(max(SIZES)):
            ours, theirs = spawn.Pipe()
            process = spawn.Process(target=_serve, args=(theirs, self._barriers), daemon=True)
            process.start()
            theirs.close()
            self._ends.append(ours)
            self._processes.append(process)

    def together(self, root: Path, deeds: Sequence[Deed]) -> list[tuple[str, dict[str, Any]]]:
        """Carry out all deeds at once: for each `ok` and the document, or the code and nothing."""
        ends = self._ends[: len(deeds)]
        for end, (name, arguments) in zip(ends, deeds, strict=True):
            end.send((str(root), len(deeds), name, arguments))
        answers = []
        for end in ends:
            assert end.poll(PATIENCE_SECONDS), "a process hangs"
            answers.append(end.recv())
        return answers

    def dismiss(self) -> None:
        for end in self._ends:
            end.close()
        for process in self._processes:
            process.join(PATIENCE_SECONDS)
            process.kill()


def _serve(orders: Connection, barriers: dict[int, Barrier]) -> None:
    while True:
        try:
            root, size, name, arguments = orders.recv()
        except EOFError:
            return
        project = open_project(Path(root), clock=SystemClock(), ids=RandomIds(), tokens=RandomTokens())
        barriers[size].wait(PATIENCE_SECONDS)
        try:
            orders.send((OK, DEEDS[name](project, **arguments)))
        except LoopxError as error:
            orders.send((error.code, {"message": error.message, **error.details}))
        except Exception as error:  # noqa: BLE001 a bug: the test shows it as the answer
            orders.send((f"bug: {error!r}", {}))
        finally:
            project.close()
