"""Renewing a lease while its work goes on, and noticing that it is lost (S4.11)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.errors import ConflictError, LeaseExpiredError, LoopxError, NotFoundError, RefusedError

if TYPE_CHECKING:
    from loopx.core.instant import Duration, Instant
    from loopx.team.idle import AsyncSleeper
    from loopx.team.stealing import Claim, WorkStealing

BEATS_A_TTL = 3  # two renewals may fail before the lease is over
_HASTE = 4  # a beat that failed is tried again that many times as often


class Heartbeat:
    """Keeps the lease of one claim; `refused` says why once it is lost."""

    def __init__(self, stealing: WorkStealing, claim: Claim, sleeper: AsyncSleeper) -> None:
        self._stealing, self._claim, self._sleeper = stealing, claim, sleeper
        self.refused: LoopxError | None = None

    async def beat(self) -> None:
        """Renew every third of the time to live; returns once the lease is lost or its todo settled by another.

        Where this agent has completed the todo itself there is nothing to renew and nothing to stop: it sleeps.
        A store that cannot answer is asked again until the lease is over, which nobody may outlive.
        """
        ends, pause = self._claim.expires_at, self._interval
        while True:
            await self._sleeper.sleep(pause)
            try:
                ends, pause = self._stealing.renew(self._claim), self._interval
            except (RefusedError, ConflictError, NotFoundError) as refused:
                if not self._stealing.is_completed(self._claim):
                    self.refused = refused
                    return
            except LoopxError as fault:
                pause = self._interval // _HASTE
                if self._is_over(ends):
                    self.refused = _over(self._claim, fault)
                    return

    @property
    def _interval(self) -> Duration:
        return max(1, self._stealing.ttl // BEATS_A_TTL)

    def _is_over(self, ends: Instant) -> bool:
        return self._stealing.seat.project.clock.now() >= ends


def _over(claim: Claim, fault: LoopxError) -> LeaseExpiredError:
    return LeaseExpiredError(
        f"the lease {claim.lease_id} on {claim.todo_id} ran out while it could not be renewed ({fault.message})",
        hint="Mend what the message names; the todo is free again.",
        todo_id=claim.todo_id,
        lease_id=claim.lease_id,
    )
