"""Workers for tests: on virtual time, with runners that are a few lines of Python."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from loopx.app.message import MessageRequest, send_message
from loopx.app.shutdown import request_shutdown
from loopx.app.successors import Following
from loopx.app.todo_add import add_todo
from loopx.app.todo_complete import Completion, complete_todo
from loopx.app.todo_new import NewTodo
from loopx.app.todo_show import show_todo
from loopx.core.instant import MINUTE
from loopx.team.protocol import MailProtocol
from loopx.team.runner import Assignment, RunResult
from loopx.team.seat import Seat
from loopx.team.stealing import WorkStealing
from loopx.team.worker import Worker, WorkerPolicy
from tests.support.project import GOAL, call

if TYPE_CHECKING:
    from loopx.app.project import Project
    from loopx.core.instant import Duration
    from loopx.team.idle import AsyncSleeper

Deed = Callable[[Assignment], Awaitable[RunResult]]
WELL = RunResult(succeeded=True, text="said")
UNTIL_IDLE = WorkerPolicy(until_idle=True)
TTL = 3 * MINUTE


class ScriptRunner:
    """A runner that does what a function of the test does, and remembers what it was given."""

    name = "script"

    def __init__(self, deed: Deed | None = None) -> None:
        self._deed = deed
        self.given: list[Assignment] = []

    async def run(self, assignment: Assignment) -> RunResult:
        self.given.append(assignment)
        return await self._deed(assignment) if self._deed is not None else WELL


def completing(project: Project) -> Deed:
    """Completes each claimed todo with its token, as an agent does."""

    async def deed(assignment: Assignment) -> RunResult:
        if assignment.todo_id is not None:
            finish_as(project, assignment)
        return WELL

    return deed


def working(project: Project, sleeper: AsyncSleeper, duration: Duration) -> Deed:
    """The same after that much time."""

    async def deed(assignment: Assignment) -> RunResult:
        await sleeper.sleep(duration)
        return await completing(project)(assignment)

    return deed


def finish_as(project: Project, assignment: Assignment) -> dict[str, Any]:
    """Complete the assignment's todo as its agent."""
    assert assignment.todo_id is not None
    completion = Completion(evidence=f"by {assignment.agent_id}", following=Following(no_followup=True))
    done = call("todo_completed", assignment.agent_id, claim_token=assignment.claim_token)
    return complete_todo(project, done, assignment.todo_id, completion)


def make_worker(
    project: Project,
    agent: str,
    runner: ScriptRunner,
    sleeper: AsyncSleeper,
    policy: WorkerPolicy = UNTIL_IDLE,
    *,
    lead: str | None = None,
    ttl: Duration = TTL,
) -> Worker:
    """A whole worker of that agent, ready to run."""
    seat = make_seat(project, agent, lead=lead)
    worker = Worker(seat, runner, policy, sleeper=sleeper)
    worker.configure_protocol(MailProtocol(seat))
    worker.configure_work_stealing(WorkStealing(seat, ttl=ttl))
    return worker


def make_seat(project: Project, agent: str, *, lead: str | None = None) -> Seat:
    return Seat(project=project, goal_id=GOAL, agent_id=agent, role="teammate", folder=project.location.root, lead=lead)


def add(project: Project, text: str, *blocked_by: str, **more: Any) -> str:
    """A new todo's id."""
    return str(
        add_todo(project, call("todo_added"), NewTodo(text=text, blocked_by=blocked_by, **more))["todo"]["todo_id"]
    )


def show(project: Project, todo_id: str) -> dict[str, Any]:
    todo = show_todo(project, todo_id)["todo"]
    assert isinstance(todo, dict)
    return todo


def write_to(project: Project, recipient: str, text: str = "hello", sender: str | None = None) -> str:
    """A message's id."""
    sent = send_message(project, call("message_sent", sender), MessageRequest(recipient, text))
    return str(sent["message"]["message_id"])


def ask_to_end(project: Project, agent: str, asker: str | None = None) -> dict[str, Any]:
    return request_shutdown(project, call("shutdown_requested", asker), agent)
