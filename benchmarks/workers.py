"""Processes that claim and complete as fast as they can, each over a connection of its own."""

from __future__ import annotations

import multiprocessing
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.seeding import AGENT, GOAL
from loopx.app.claim_next import Wish, claim_next
from loopx.app.lease import DEFAULT_TTL
from loopx.app.mutation import Call
from loopx.app.project import Project
from loopx.app.successors import Following
from loopx.app.todo_complete import Completion, complete_todo
from loopx.core.actor import Actor, ActorKind
from loopx.core.errors import LoopxError
from loopx.system import RandomIds, RandomTokens, SystemClock
from loopx.workspace.discovery import locate

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from threading import Barrier

PATIENCE_SECONDS = 600.0  # a process that hangs ends the measurement
_ACTOR = Actor(ActorKind.AGENT, AGENT)
_DONE = Completion(evidence="measured", following=Following(no_followup=True))
_WISH = Wish(ttl=100 * DEFAULT_TTL)  # nothing expires while it is measured


class Order(NamedTuple):
    """What one process does: so many claims, or as many as it gets in that time."""

    root: str
    claims: int
    seconds: float = PATIENCE_SECONDS
    completes: bool = False


class Run(NamedTuple):
    """What it did: the todos that it got, how long each took, the refusals it met, and when it began and ended."""

    taken: list[str]
    seconds: list[float]
    refusals: Counter[str]
    begin: float  # on the clock that all processes of a machine share
    end: float


class Crew:
    """Processes that are spawned once and begin every round together."""

    def __init__(self, sizes: Sequence[int]) -> None:
        spawn = multiprocessing.get_context("spawn")
        self._barriers = {size: spawn.Barrier(size) for size in sizes}
        self._ends: list[Connection] = []
        self._processes = []
        for _ in range(max(sizes)):
            ours, theirs = spawn.Pipe()
            process = spawn.Process(target=_serve, args=(theirs, self._barriers), daemon=True)
            process.start()
            theirs.close()
            self._ends.append(ours)
            self._processes.append(process)

    def together(self, order: Order, size: int) -> list[Run]:
        """What `size` processes do with the same order at the same time."""
        for end in self._ends[:size]:
            end.send((order, size))
        return [self._answer(end) for end in self._ends[:size]]

    def _answer(self, end: Connection) -> Run:
        if not end.poll(PATIENCE_SECONDS):
            raise SystemExit("a process hangs")
        run: Run = end.recv()
        return run

    def dismiss(self) -> None:
        for end in self._ends:
            end.close()
        for process in self._processes:
            process.join(PATIENCE_SECONDS)


@contextmanager
def crew(sizes: Sequence[int]) -> Iterator[Crew]:
    members = Crew(sizes)
    try:
        yield members
    finally:
        members.dismiss()


@contextmanager
def resident(root: Path) -> Iterator[Project]:
    """The project as a worker keeps it open."""
    location = locate(option=str(root), environment=None, cwd=None)
    project = Project(location, clock=SystemClock(), ids=RandomIds(), tokens=RandomTokens())
    try:
        yield project
    finally:
        project.close()


def work(project: Project, order: Order) -> Run:
    """Carry the order out; it ends early where nothing is left to claim."""
    taken: list[str] = []
    seconds: list[float] = []
    refusals: Counter[str] = Counter()
    started = now = time.perf_counter()
    while len(taken) < order.claims and now < started + order.seconds:
        try:
            todo_id = _one(project, order)
        except LoopxError as error:
            refusals[error.code] += 1
            continue
        if todo_id is None:
            break
        before, now = now, time.perf_counter()
        seconds.append(now - before)
        taken.append(todo_id)
    return Run(taken, seconds, refusals, started, now)


def _one(project: Project, order: Order) -> str | None:
    claim = claim_next(project, _call("todo_claimed_next"), _WISH)["claim"]
    if claim is None:
        return None
    todo_id = str(claim["task"]["id"])
    if order.completes:
        complete_todo(project, _call("todo_completed", claim["claim_token"]), todo_id, _DONE)
    return todo_id


def _call(action: str, token: str | None = None) -> Call:
    return Call(action, _ACTOR, intent=None, goal_id=GOAL, claim_token=token)


def _serve(orders: Connection, barriers: dict[int, Barrier]) -> None:
    """One process: every order comes with how many processes begin it together."""
    with ExitStack() as stack:
        projects: dict[str, Project] = {}
        while True:
            try:
                order, size = orders.recv()
            except EOFError:
                return
            if order.root not in projects:
                projects[order.root] = stack.enter_context(resident(Path(order.root)))
                work(projects[order.root], order._replace(claims=1))  # loads what is loaded late
            barriers[size].wait(PATIENCE_SECONDS)
            orders.send(work(projects[order.root], order))
