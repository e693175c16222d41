"""That a worker has started and ended, so that `team status` and its mail know about it (S4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.message import mailbox_of
from loopx.app.mutation import Call, Outcome, Work, mutate
from loopx.core.errors import ActorRequiredError
from loopx.core.value import Value
from loopx.core.worker import Ending, Worker
from loopx.store.workers import find_worker, store_worker

if TYPE_CHECKING:
    from loopx.app.project import Project


class Enrolment(Value):
    """How a worker presents itself."""

    role: str
    runner: str
    lead: str | None = None


class Toll(Value):
    """What a worker did until it ended."""

    ending: Ending
    tasks: int = 0
    completed: int = 0
    idle_timeouts: int = 0


def start_worker(project: Project, call: Call, enrolment: Enrolment) -> str:
    """Note that the caller's worker runs now, in place of the one before; its id.

    AgentNotRegisteredError; RecipientNotFoundError where its lead has no mailbox.
    """
    started: list[str] = []

    def change(work: Work) -> Outcome:
        agent_id = work.actor.agent_id
        if agent_id is None:
            raise ActorRequiredError("a worker is an agent's", hint="Say whose with --agent-id.")
        worker = Worker(
            goal_id=work.goal.goal_id,
            agent_id=agent_id,
            worker_id=work.tx.ids.new("worker"),
            role=enrolment.role,
            lead=enrolment.lead and mailbox_of(work.goal, enrolment.lead),
            runner=enrolment.runner,
            started_at=work.now,
        )
        store_worker(work.tx, worker)
        started.append(worker.worker_id)
        return Outcome({})

    mutate(project, call, change)
    return started[-1]


def end_worker(project: Project, call: Call, worker_id: str, toll: Toll) -> None:
    """Note that the worker has ended, unless another has taken its place."""

    def change(work: Work) -> Outcome:
        worker = find_worker(work.tx.db, work.goal.goal_id, work.actor.agent_id or "")
        if worker is None or worker.worker_id != worker_id:
            return Outcome({}, records=False)
        ended = worker._replace(
            ended_at=work.now,
            ended_by=toll.ending.value,
            tasks=toll.tasks,
            completed=toll.completed,
            idle_timeouts=toll.idle_timeouts,
        )
        store_worker(work.tx, ended)
        return Outcome({})

    mutate(project, call._replace(needs_active_goal=False), change)
