"""One worker from its start to its end: lock, worktree, enrolment, and the document of what it did."""

from __future__ import annotations

from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from loopx.app.lease import DEFAULT_TTL
from loopx.app.worker import Enrolment, Toll, end_worker, start_worker
from loopx.core.errors import LoopxError
from loopx.core.worker import Ending
from loopx.store.database import project_id
from loopx.team.duty import Outcome
from loopx.team.place import WORKTREES, WorkerLock, made_folder, slug, worker_folder
from loopx.team.presence import spoken
from loopx.team.protocol import MailProtocol
from loopx.team.stealing import WorkStealing
from loopx.team.worker import Worker, WorkerPolicy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from loopx.core.instant import Duration
    from loopx.team.duty import Record
    from loopx.team.idle import AsyncSleeper
    from loopx.team.runner import Runner
    from loopx.team.seat import Seat
    from loopx.workspace.worktree import Worktree

WORKER_SCHEMA = "worker_run_v1"
RECORDS_SHOWN = 50  # the newest; the log of the project has all of them

Document = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerOrder:
    """What a worker is to be: where it sits, how its runner is made, and how it works.

    `runner` is given the seat and the worker's own folder, for its logs. `ttl` is how long its leases last.
    """

    seat: Seat
    runner: Callable[[Seat, str], Runner]
    environment: Mapping[str, str]
    policy: WorkerPolicy = field(default_factory=WorkerPolicy)
    ttl: Duration = DEFAULT_TTL
    claims: bool = True
    uses_worktree: bool = False
    prompt: str | None = None  # what a lead is given before any mail


class Service:
    """One worker of an order; `stop` may be called from a signal at any time, also before it runs."""

    def __init__(
        self,
        order: WorkerOrder,
        *,
        sleeper: AsyncSleeper | None = None,
        tell: Callable[[str], None] = lambda _line: None,
    ) -> None:
        self.order = order
        self.worker: Worker | None = None
        self.ending = Ending.FAILURE
        self._sleeper, self._tell = sleeper, tell
        self._stops = 0

    def stop(self) -> None:
        """End soon; see `Worker.stop`."""
        self._stops += 1
        if self.worker is not None:
            self.worker.stop()

    async def run(self) -> Document:
        """Serve until something ends the worker; the document of what it did.

        WorkerRunningError where the agent has a worker here already, AgentNotRegisteredError, and whatever a run
        meets that no rule foresees: then too everything held has been given back.
        """
        own = worker_folder(self.order.seat)
        lock = WorkerLock(own)
        lock.take(self.order.seat.agent_id)
        with closing(lock), self._placed() as (seat, worktree):
            runner = self.order.runner(seat, own)
            worker = self._composed(seat, runner, lock)
            with self._enrolled(worker, runner) as worker_id:
                self.ending = await worker.run()
            document = self._document(worker, worker_id, runner)
        return {**document, "worktree": worktree and worktree.told()}

    def _composed(self, seat: Seat, runner: Runner, lock: WorkerLock) -> Worker:
        worker = Worker(
            seat,
            runner,
            self.order.policy,
            prompt=self.order.prompt,
            sleeper=self._sleeper,
            tell=self._tell,
            observe=lambda worker: lock.say(spoken(worker)),
        )
        worker.configure_protocol(MailProtocol(seat))
        if self.order.claims:
            worker.configure_work_stealing(WorkStealing(seat, ttl=self.order.ttl))
        for _ in range(self._stops):
            worker.stop()
        self.worker = worker
        return worker

    @contextmanager
    def _enrolled(self, worker: Worker, runner: Runner) -> Iterator[str]:
        """Known to the team as running, and afterwards as ended."""
        seat = worker.seat
        enrolment = Enrolment(seat.role, runner.name, seat.lead)
        worker_id = start_worker(seat.project, seat.call("worker_started"), enrolment)
        try:
            yield worker_id
        finally:
            toll = Toll(self.ending, len(worker.records), _completed(worker.records), worker.idle_timeouts)
            with suppress(LoopxError):  # where the store takes no more, the free lock tells that the worker is gone
                end_worker(seat.project, seat.call("worker_ended"), worker_id, toll)

    @contextmanager
    def _placed(self) -> Iterator[tuple[Seat, _Stay | None]]:
        """The seat in a worktree of its own, where that was asked for."""
        seat = self.order.seat
        if not self.order.uses_worktree:
            yield seat, None
            return
        from loopx.workspace.worktree import take_worktree

        name = slug(seat.agent_id)
        place = made_folder(seat.project.paths.folder, WORKTREES)
        root = seat.project.location.root
        environment = self.order.environment
        worktree = take_worktree(root, f"{place}/{name}", name, environment=environment)
        stay = _Stay(worktree, environment)
        try:
            yield replace(seat, folder=worktree.folder), stay
        finally:
            went_well = self.worker is not None and all(r.outcome is Outcome.COMPLETED for r in self.worker.records)
            stay.end(went_well=went_well and self.ending is not Ending.FAILURE)

    def _document(self, worker: Worker, worker_id: str, runner: Runner) -> Document:
        seat, records = worker.seat, worker.records
        warnings = [record.warning for record in records if record.warning is not None]
        return {
            "schema_version": WORKER_SCHEMA,
            "ok": True,
            "worker": {
                "worker_id": worker_id,
                "goal_id": seat.goal_id,
                "agent_id": seat.agent_id,
                "role": seat.role,
                "lead": seat.lead,
                "runner": runner.name,
            },
            "ended_by": self.ending.value,
            "tasks": [_told(record) for record in records[-RECORDS_SHOWN:]],
            "tasks_total": len(records),
            "completed": _completed(records),
            "idle_timeouts": worker.idle_timeouts,
            "state": seat.project.read(lambda snapshot: project_id(snapshot.db)),
            "warnings": warnings[-RECORDS_SHOWN:],
        }


class _Stay:
    """A worktree that was taken, and afterwards whether it is still there and why."""

    def __init__(self, worktree: Worktree, environment: Mapping[str, str]) -> None:
        self._worktree, self._environment = worktree, environment
        self._kept: str | None = None

    def end(self, *, went_well: bool) -> None:
        """Give it back, unless work went wrong in it or something would be lost."""
        from loopx.workspace.worktree import give_back

        if went_well:
            self._kept = give_back(self._worktree, environment=self._environment)
        else:
            self._kept = "not all of its work went well"

    def told(self) -> Document:
        """The worktree's part of the document; its branch, never its path."""
        return {"branch": self._worktree.branch, "kept": self._kept}


def _completed(records: list[Record]) -> int:
    return sum(record.outcome is Outcome.COMPLETED for record in records)


def _told(record: Record) -> Document:
    return {
        "todo_id": record.todo_id,
        "outcome": record.outcome.value,
        "summary": record.summary,
        "seconds": record.seconds,
        "log": record.facts.get("log"),
    }
