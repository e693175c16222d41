"""One run of a runner and what comes of it: supervised to its end, then settled by what the store says.

Nothing that a run says completes its todo. It is completed when its own agent has completed it with the
token, or when `complete_on_success` was asked for and the todo's checks agree (S4.4).
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from loopx.core.errors import ConflictError, LoopxError, RefusedError
from loopx.core.instant import SECOND, format_duration
from loopx.core.text import cut
from loopx.team.account import book
from loopx.team.heartbeat import Heartbeat
from loopx.team.runner import Assignment, Runner, RunResult
from loopx.team.tasks import ended, race

if TYPE_CHECKING:
    from loopx.core.instant import Instant
    from loopx.team.idle import AsyncSleeper
    from loopx.team.seat import Seat
    from loopx.team.stealing import Claim, WorkStealing
    from loopx.team.worker import WorkerPolicy

_EVIDENCE_BYTES = 2_000
_NOTHING = RunResult(succeeded=False)
_TIDYING = 2 * SECOND  # what a runner may need beyond the grace to leave nothing behind


class Outcome(StrEnum):
    COMPLETED = "completed"
    NOT_COMPLETED = "not_completed"  # the run ended well, and nobody completed the todo: its lease runs out
    FAILED = "failed"  # the run ended badly; the lease runs out, which keeps a failing todo from being hammered
    TIMED_OUT = "timed_out"
    REFUSED = "refused"  # the completion was refused, such as by the todo's own check
    LOST = "lost"  # the lease was lost, or others settled the todo: stopped, and the result kept as a note
    RELEASED = "released"  # stopped by a signal, and given back


class Stop(StrEnum):
    """Why a run did not end by itself; in the order in which they count."""

    LOST = "lost"
    SIGNAL = "signal"
    TIMEOUT = "timeout"


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What became of one claimed todo."""

    todo_id: str
    outcome: Outcome
    summary: str
    text: str
    seconds: float
    facts: dict[str, object]
    warning: str | None = None


@dataclass(slots=True, kw_only=True)
class Duty:
    """One assignment on its way; `done` supervises it, `settle` says what became of its todo."""

    seat: Seat
    runner: Runner
    assignment: Assignment
    policy: WorkerPolicy
    sleeper: AsyncSleeper
    stopped: asyncio.Event
    hurried: asyncio.Event
    stealing: WorkStealing | None
    claim: Claim | None
    stop: Stop | None = None
    result: RunResult = _NOTHING
    refused: LoopxError | None = None
    _began: Instant = 0

    async def done(self) -> Duty:
        """Run to the end, or until the lease is lost, the worker is stopped or the time is over."""
        self._began = self._now()
        work = asyncio.ensure_future(self._carried_out())
        try:
            guards = (self._lost(), self.stopped.wait(), self._late())
            winner = await race(_end_of(work), *guards)
            if winner > 0:
                self.stop = tuple(Stop)[winner - 1]
                await self._halt(work)
            if work.done() and not work.cancelled():
                self.result = work.result()
        finally:
            await ended([work])
        return self

    async def _carried_out(self) -> RunResult:
        result = await self.runner.run(self.assignment)
        if self.policy.complete_on_success and result.succeeded and self.claim is not None and self.stealing:
            return await self._complete(self.stealing, self.claim, result)
        return result

    async def _complete(self, stealing: WorkStealing, claim: Claim, result: RunResult) -> RunResult:
        if self.assignment.cancel.is_set() or stealing.is_completed(claim):
            return result
        try:
            await stealing.complete(claim, self._evidence(result))
        except (RefusedError, ConflictError) as refused:
            self.refused = refused
            return replace(result, summary=f"{refused.message} [{refused.code}]")
        return result

    async def _halt(self, work: asyncio.Future[RunResult]) -> None:
        """Ask the run to stop at a safe point; after the grace, or at a second signal, stop it."""
        self.assignment.cancel.set()
        await race(_end_of(work), self.sleeper.sleep(self.policy.grace + _TIDYING), self.hurried.wait())
        if not work.done():
            await ended([work])

    async def _lost(self) -> None:
        if self.claim is None or self.stealing is None:
            await asyncio.Event().wait()
            return
        beat = Heartbeat(self.stealing, self.claim, self.sleeper)
        await beat.beat()
        self.refused = beat.refused

    async def _late(self) -> None:
        if self.policy.timeout is None:
            await asyncio.Event().wait()
            return
        await self.sleeper.sleep(self.policy.timeout)

    # --- afterwards ------------------------------------------------------------------------

    def settle(self) -> Record:
        """What became of the claimed todo, and the books that go with it."""
        stealing, claim = self.stealing, self.claim
        assert stealing is not None and claim is not None  # noqa: PT018 - only claims are settled
        outcome, warning = self._outcome(stealing, claim), None
        if outcome is Outcome.COMPLETED:
            warning = book(self.seat, claim.todo_id, self.result, self._evidence(self.result), self._seconds())
        return Record(
            todo_id=claim.todo_id,
            outcome=outcome,
            summary=self._summary(),
            text=self.result.text,
            seconds=self._seconds(),
            facts=self.result.facts,
            warning=warning,
        )

    def _outcome(self, stealing: WorkStealing, claim: Claim) -> Outcome:
        if stealing.is_completed(claim):
            return Outcome.COMPLETED
        if self.stop is Stop.LOST and self.refused is not None:
            stealing.note_late(claim, f"stopped: {self.refused.message}\n{self._evidence(self.result)}", self.refused)
            return Outcome.LOST
        if self.stop is Stop.SIGNAL:
            return Outcome.RELEASED if stealing.release(claim) else Outcome.LOST
        if self.stop is Stop.TIMEOUT:
            return Outcome.TIMED_OUT
        if self.refused is not None:
            return Outcome.REFUSED
        return Outcome.NOT_COMPLETED if self.result.succeeded else Outcome.FAILED

    def _summary(self) -> str:
        if self.stop is Stop.TIMEOUT and self.policy.timeout is not None:
            return f"did not end within {format_duration(self.policy.timeout)}"
        if self.stop is Stop.LOST and self.refused is not None:
            return self.refused.message
        return self.result.summary

    def _evidence(self, result: RunResult) -> str:
        """What the run has to show, in its own last words."""
        words = cut(result.text.strip(), _EVIDENCE_BYTES)[0]
        return f"{self.runner.name}: {result.summary or 'ended'}" + (f"\n{words}" if words else "")

    def _seconds(self) -> float:
        return max(0, self._now() - self._began) / SECOND

    def _now(self) -> Instant:
        return self.seat.project.clock.now()


async def _end_of(work: asyncio.Future[RunResult]) -> None:
    """Until it is over; who stops waiting does not stop it."""
    await asyncio.wait([work])
