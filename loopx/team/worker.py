"""One worker: an agent that, while idle, looks for what to do, in a fixed order (S4.1).

    stopped? → mailbox → typed protocol, by rule → plan gate → claim-next → a wait that a change wakes

Mailbox, plan and claim are one transaction (`loopx/app/turn.py`). What runs meanwhile is a managed task: when
`run` returns nothing of it is left, and whatever was held has been finished or given back.
"""

from __future__ import annotations

import asyncio
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from loopx.app.turn import Glance, glance, take_turn
from loopx.core.errors import BusyError, LoopxError, TeamStateError
from loopx.core.instant import SECOND, Duration
from loopx.core.worker import Ending
from loopx.team.duty import Duty, Outcome, Record
from loopx.team.idle import AsyncSleeper, IdlePolicy, LoopSleeper, Watch
from loopx.team.letter import claim_message, mail_message
from loopx.team.runner import Assignment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from loopx.core.message import Message
    from loopx.team.protocol import MailProtocol
    from loopx.team.runner import Runner, RunResult
    from loopx.team.seat import Seat
    from loopx.team.stealing import Claim, WorkStealing


class State(StrEnum):
    NEW = "new"
    IDLE = "idle"  # looks for work, or waits for a change after an idle timeout
    WORKING = "working"
    ENDED = "ended"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerPolicy:
    """When a worker ends by itself, and how its runs are bounded."""

    once: bool = False  # one todo, or none where nothing is ready
    until_idle: bool = False  # end at the first idle timeout
    max_tasks: int | None = None
    complete_on_success: bool = False
    timeout: Duration | None = None
    grace: Duration = 10 * SECOND  # between asking a run to stop and stopping it
    idle: IdlePolicy = field(default_factory=IdlePolicy)


class Worker:
    """The runtime of one seat. Configure the protocol, then the work stealing, then `run` it, once each."""

    def __init__(
        self,
        seat: Seat,
        runner: Runner,
        policy: WorkerPolicy,
        *,
        prompt: str | None = None,
        sleeper: AsyncSleeper | None = None,
        tell: Callable[[str], None] = lambda _line: None,
        observe: Callable[[Worker], None] = lambda _worker: None,
    ) -> None:
        self.seat, self.policy = seat, policy
        self.records: list[Record] = []
        self.idle_timeouts = 0
        self.is_waiting = False  # idle since a timeout, until something changes
        self.todo_id: str | None = None  # what it works on
        self.answer: RunResult | None = None  # what the prompt came to
        self._state = State.NEW
        self._runner, self._prompt, self._tell, self._observe = runner, prompt, tell, observe
        self._sleeper = sleeper or LoopSleeper()
        self._watch = Watch(seat.project, self._sleeper)
        self._protocol: MailProtocol | None = None
        self._stealing: WorkStealing | None = None
        self._stopped, self._hurried, self._timed_out = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._polls, self._left = 0, policy.idle.interval

    @property
    def state(self) -> State:
        return self._state

    def configure_protocol(self, protocol: MailProtocol) -> None:
        """Give the worker its mailbox; TeamStateError a second time, or once it runs."""
        if self._protocol is not None or self.state is not State.NEW:
            raise _misplaced("the protocol is configured once, before the start")
        self._refuse_other_store(protocol.seat)
        self._protocol = protocol

    def configure_work_stealing(self, stealing: WorkStealing) -> None:
        """Let the worker claim todos; TeamStateError without a protocol, a second time, or once it runs (S4.7)."""
        if self._protocol is None:
            raise _misplaced("work stealing needs the protocol first: a claim depends on mail and plan")
        if self._stealing is not None or self.state is not State.NEW:
            raise _misplaced("work stealing is configured once, before the start")
        self._refuse_other_store(stealing.seat)
        self._stealing = stealing

    def stop(self) -> None:
        """End soon: no new work, and what runs is finished or released. A second call does not wait for a grace."""
        if self._stopped.is_set():
            self._hurried.set()
        self._stopped.set()
        self._watch.ring()

    def ring(self) -> None:
        """Look again now, without waiting for the next glance."""
        self._watch.ring()

    async def wait_for_idle_timeout(self) -> None:
        """Until the worker has found nothing for as long as its policy says."""
        await self._timed_out.wait()

    async def run(self) -> Ending:
        """Work until something ends the worker; nothing is left running then. TeamStateError."""
        if self._protocol is None or self.state is not State.NEW:
            raise _misplaced("a worker is run once, with a protocol")
        self._become(State.IDLE)
        try:
            if self._prompt is not None and await self._begin(self._prompt):
                return Ending.TASKS
            while True:
                ending = await self._turn(self._protocol)
                if ending is not None:
                    return ending
        finally:
            self._become(State.ENDED)

    def _become(self, state: State, todo_id: str | None = None, *, is_waiting: bool = False) -> None:
        self._state, self.todo_id, self.is_waiting = state, todo_id, is_waiting
        self._observe(self)

    async def _begin(self, prompt: str) -> bool:
        """Give the runner its prompt, before any mail; whether that was all."""
        run_id = self.seat.project.ids.new("prompt")
        with self._working():
            duty = await self._duty(self._assignment(prompt, run_id)).done()
        self.answer = duty.result
        return self.policy.once

    # --- one idle turn ---------------------------------------------------------------------

    async def _turn(self, protocol: MailProtocol) -> Ending | None:
        if self._stopped.is_set():
            return Ending.STOPPED
        if self.policy.max_tasks is not None and len(self.records) >= self.policy.max_tasks:
            return Ending.TASKS
        mark = self._watch.mark()  # before the look, so that no change falls between the look and the wait
        try:
            return await self._look(protocol, mark)
        except BusyError as busy:
            self._tell(busy.message)
            await self._watch.wait(mark, self.policy.idle.interval)
            return None

    async def _look(self, protocol: MailProtocol, mark: tuple[object, ...]) -> Ending | None:
        stealing, seat = self._stealing, self.seat
        seen = self._glance()
        if seen.is_spent:
            return Ending.BUDGET
        if not (seen.has_mail or seen.may_claim):
            return await self._idle(mark, seen)
        call = seat.call("todo_claimed_next", needs_active_goal=not seen.has_mail)
        turn = take_turn(seat.project, call, stealing.wish if stealing is not None else None)
        if turn.message is not None:
            self._found()
            return await self._handle(protocol, turn.message)
        if turn.claim is not None and stealing is not None:
            self._found()
            return await self._work(protocol, stealing, stealing.claim_of(turn.claim))
        return await self._idle(mark, seen._replace(reason=turn.reason))

    def _glance(self) -> Glance:
        stealing = self._stealing
        if stealing is None:
            from loopx.app.decide import Question

            return glance(self.seat.project, Question(self.seat.goal_id, self.seat.agent_id), claims=False)
        return glance(self.seat.project, stealing.question)

    def _found(self) -> None:
        self._polls, self._left = 0, self.policy.idle.interval

    async def _idle(self, mark: tuple[object, ...], seen: Glance) -> Ending | None:
        """Wait for the rest of an idle poll; after the last one the worker is idle until something changes (S4.5)."""
        if self.policy.once:
            self._tell(seen.reason)
            return Ending.IDLE
        self._left = await self._watch.wait(mark, self._left)
        if self._left > 0:
            return None
        self._left, self._polls = self.policy.idle.interval, self._polls + 1
        if self._polls < self.policy.idle.most_polls:
            return None
        self._polls = 0
        self.idle_timeouts += 1
        self._timed_out.set()
        self._tell(f"idle: {seen.reason or 'no mail and nothing to claim'}")
        if self.policy.until_idle:
            return Ending.IDLE
        self._become(State.IDLE, is_waiting=True)
        await self._watch.wait(mark, self._until(seen))
        self._become(State.IDLE)
        return None

    def _until(self, seen: Glance) -> Duration | None:
        """How long nothing can happen by itself; None where only a change brings work."""
        if seen.next_wake_at is None:
            return None
        return max(self.policy.idle.interval, seen.next_wake_at - self.seat.project.clock.now())

    # --- mail ------------------------------------------------------------------------------

    async def _handle(self, protocol: MailProtocol, message: Message) -> Ending | None:
        if message.is_text:
            await self._read(protocol, message)
            return None
        self._tell(f"{message.kind} from {message.sender}")
        return Ending.SHUTDOWN if protocol.answer(message) else None

    async def _read(self, protocol: MailProtocol, message: Message) -> None:
        """Let the runner read the words; until that has ended the message counts as not delivered."""
        self._tell(f"mail from {message.sender}: {message.message_id}")
        words = mail_message(message, self.seat.project.clock.now())
        assignment = self._assignment(words, message.message_id, message_id=message.message_id)
        with self._working():
            duty = await self._duty(assignment).done()
        if duty.stop is None or not self._stopped.is_set():
            protocol.acknowledge(message)
            protocol.report(duty.result.text, message.todo_id)

    # --- work ------------------------------------------------------------------------------

    async def _work(self, protocol: MailProtocol, stealing: WorkStealing, claim: Claim) -> Ending | None:
        self._tell(f"claimed {claim.todo_id}")
        try:
            words = claim_message(claim.document, stealing.text_of(claim))
            assignment = self._assignment(
                words, claim.token, todo_id=claim.todo_id, claim_token=claim.token, lease_id=claim.lease_id
            )
            with self._working(claim.todo_id):
                duty = await self._duty(assignment, claim).done()
            record = duty.settle()
        except BaseException:
            with suppress(LoopxError):  # the first fault is the one to tell; the lease runs out by itself
                stealing.release(claim)
            raise
        self.records.append(record)
        self._tell(f"{claim.todo_id}: {record.outcome}" + (f" ({record.summary})" if record.summary else ""))
        if record.outcome is not Outcome.RELEASED:
            protocol.report(record.text, claim.todo_id)
        return Ending.TASKS if self.policy.once else None

    @contextmanager
    def _working(self, todo_id: str | None = None) -> Iterator[None]:
        self._become(State.WORKING, todo_id)
        try:
            yield
        finally:
            self._become(State.IDLE)

    def _duty(self, assignment: Assignment, claim: Claim | None = None) -> Duty:
        return Duty(
            seat=self.seat,
            runner=self._runner,
            assignment=assignment,
            policy=self.policy,
            sleeper=self._sleeper,
            stopped=self._stopped,
            hurried=self._hurried,
            stealing=self._stealing,
            claim=claim,
        )

    def _assignment(
        self,
        message: str,
        run_id: str,
        *,
        todo_id: str | None = None,
        claim_token: str | None = None,
        lease_id: str | None = None,
        message_id: str | None = None,
    ) -> Assignment:
        seat = self.seat
        return Assignment(
            goal_id=seat.goal_id,
            agent_id=seat.agent_id,
            role=seat.role,
            lead=seat.lead,
            message=message,
            run_id=run_id,
            folder=seat.folder,
            state_root=seat.project.location.root,
            todo_id=todo_id,
            claim_token=claim_token,
            lease_id=lease_id,
            message_id=message_id,
            timeout=self.policy.timeout,
            cancel=asyncio.Event(),
        )

    def _refuse_other_store(self, seat: Seat) -> None:
        """A worker that read its mail in one store and claimed in another would obey nobody."""
        if seat is not self.seat:
            raise _misplaced("protocol and work stealing belong to the worker's own seat")


def _misplaced(fact: str) -> TeamStateError:
    return TeamStateError(fact, hint="Configure protocol, then work stealing, then run the worker.")
