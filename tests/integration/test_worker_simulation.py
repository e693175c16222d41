"""Several workers on virtual time: they die between any two steps, dawdle, and their clock is set (S2, S4).

Every run is one seed: it chooses the graph, the pace of the workers, where they die and what the clock does.
A worker that died comes back under its own name and knows nothing. A failure names its seed.
"""

from __future__ import annotations

import heapq
import random
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from loopx.app.claim_next import Wish, claim_next
from loopx.app.lease import LeaseStep, renew_lease
from loopx.app.mutation import Outcome, Work, mutate
from loopx.app.successors import Following
from loopx.app.todo_complete import Completion, complete_todo
from loopx.app.todo_new import NewTodo, build_todo
from loopx.core.errors import ConflictError, LoopxError, RefusedError
from loopx.core.instant import HOUR, MINUTE, SECOND
from loopx.store.replay import drifts, past_events, replay, table_state
from tests.support.fakes import START, FakeClock
from tests.support.project import call, make_team, open_project

if TYPE_CHECKING:
    from loopx.app.project import Project
    from loopx.store.connection import Connection

Life = Generator[int, None, None]  # a worker yields how long it does something else

AGENTS = ("ann", "bob", "cy")
TTL = 2 * MINUTE
LONGEST = 3 * TTL  # a piece of work may take longer than its lease
STEPS = (-HOUR, -TTL, -SECOND, -1, 1, SECOND, TTL, HOUR)
END = 30 * 24 * HOUR  # by then everything is done, or something was lost
MEMORY = Path("/dev/shm")  # where the system has it: thousands of durable commits without a disk
BLOCKS = 20
RUNS_IN_A_BLOCK = 100 if settings().max_examples <= 1_000 else 2_000


class Simulation:
    """One seed on one project; the finished todos of earlier seeds are still in it."""

    def __init__(self, project: Project, clock: FakeClock, seed: int) -> None:
        self.project, self.clock, self.chance = project, clock, random.Random(seed)
        self.graph = self._new_graph()
        self.live: dict[str, str] = {}  # todo → the token that was given last
        self.done: dict[str, str] = {}  # todo → the token that completed it
        self.queue: list[tuple[int, int, str, Life]] = []
        self.virtual = self.turn = 0

    def run(self) -> None:
        """Until all is done; every worker is somewhere in the queue, alive or dead for a while."""
        for agent in AGENTS[: self.chance.randint(1, 3)]:
            self._schedule(self.chance.randrange(SECOND), agent, self._life(agent))
        while len(self.done) < len(self.graph):
            at, _, agent, life = heapq.heappop(self.queue)
            assert at < END, f"{len(self.graph) - len(self.done)} todos are never done"
            self.clock.advance(at - self.virtual)
            self.virtual = at
            if self.chance.random() < 0.06:
                self.clock.advance(self.chance.choice(STEPS))
            if self.chance.random() < 0.08:
                life.close()  # it dies where it stands, and its name starts anew later
                self._schedule(self.chance.randrange(LONGEST), agent, self._life(agent))
            else:
                self._schedule(next(life), agent, life)

    def _schedule(self, delay: int, agent: str, life: Life) -> None:
        self.turn += 1
        heapq.heappush(self.queue, (self.virtual + delay, self.turn, agent, life))

    def _life(self, agent: str) -> Life:
        """Claim, work with a heartbeat now and then, complete; refusals end the piece of work, not the worker."""
        while True:
            claim = claim_next(self.project, call("todo_claimed_next", agent), Wish(ttl=TTL))["claim"]
            if claim is None:
                yield self.chance.randrange(TTL, LONGEST)
                continue
            todo, token = claim["task"]["id"], claim["claim_token"]
            self._given(todo, token)
            yield self.chance.randrange(LONGEST)
            if self.chance.random() < 0.3 and self._renew(agent, claim["lease"]["lease_id"]):
                yield self.chance.randrange(TTL)
            self._complete(agent, todo, token)
            yield self.chance.randrange(SECOND)

    def _given(self, todo: str, token: str) -> None:
        assert todo not in self.done, "finished work was offered again"
        assert all(dep in self.done for dep in self.graph[todo]), "a dependency is open"
        self.live[todo] = token

    def _renew(self, agent: str, lease_id: str) -> bool:
        try:
            renew_lease(self.project, call("lease_renewed", agent), LeaseStep(lease_id, ttl=TTL))
        except (RefusedError, ConflictError):
            return False
        return True

    def _complete(self, agent: str, todo: str, token: str) -> None:
        """A live token completes its todo once; any other is refused by a rule and changes nothing."""
        completion = Completion(evidence=token, following=Following(no_followup=True))
        try:
            complete_todo(self.project, call("todo_completed", agent, claim_token=token), todo, completion)
        except (RefusedError, ConflictError) as refusal:
            assert refusal.code in ("lease_expired", "claim_mismatch", "already_done")  # noqa: PT017
            return
        assert todo not in self.done, "completed twice"
        assert self.live[todo] == token, "completed with a token that is not the last one"
        self.done[todo] = token

    def _new_graph(self) -> dict[str, list[str]]:
        """Up to three todos, each waiting for some of the ones before it, in one transaction."""
        graph: dict[str, list[str]] = {}

        def change(work: Work) -> Outcome:
            for number in range(self.chance.randint(1, 3)):
                deps = [todo for todo in graph if self.chance.random() < 0.4]
                text = f"[P{self.chance.randrange(5)}] piece {number}"
                todo = work.tx.insert(build_todo(work, NewTodo(text=text, blocked_by=tuple(deps))))
                graph[todo.todo_id] = deps
            return Outcome({})

        mutate(self.project, call("todo_added"), change)
        return graph


@contextmanager
def fast_project() -> Iterator[tuple[Project, FakeClock]]:
    """A project in memory where the system offers it; every setting of the store is the product's."""
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        make_team(Path(folder), AGENTS)
        clock = FakeClock(START)
        project = open_project(Path(folder), clock=clock)
        try:
            yield project, clock
        finally:
            project.close()


@pytest.mark.parametrize("block", range(BLOCKS))
def test_every_todo_is_completed_once_by_a_live_token_and_nothing_is_lost(block: int) -> None:
    completions: dict[str, str] = {}
    with fast_project() as (project, clock):
        for seed in range(block * RUNS_IN_A_BLOCK, (block + 1) * RUNS_IN_A_BLOCK):
            simulation = Simulation(project, clock, seed)
            try:
                simulation.run()
            except (AssertionError, LoopxError) as fault:
                raise AssertionError(f"seed {seed}: {fault!r}") from fault
            completions |= simulation.done
        project.read(lambda snapshot: _sound(snapshot.db, completions))


def _sound(db: Connection, completions: dict[str, str]) -> None:
    """The tables hold exactly these results, the history has each once, and gives the tables."""
    stored = dict(db.execute("SELECT todo_id, evidence FROM todos WHERE status = 'done'"))
    assert stored == completions
    sql = "SELECT todo_id FROM events WHERE action = 'todo_completed' ORDER BY todo_id"
    assert [row[0] for row in db.execute(sql)] == sorted(completions)
    assert drifts(replay(past_events(db)), table_state(db)) == []
