"""The claims of a worker: taking the next todo, keeping its lease, and what becomes of it afterwards (S2, S4)."""

from __future__ import annotations

import asyncio
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from loopx.app.attempt import note_attempt
from loopx.app.claim_next import Wish
from loopx.app.decide import Question
from loopx.app.lease import DEFAULT_TTL, LeaseStep, release_lease, renew_lease
from loopx.app.successors import Following
from loopx.app.todo_complete import Completion, complete_todo
from loopx.app.todo_show import show_todo
from loopx.core.errors import ConflictError, RefusedError
from loopx.core.instant import Duration, Instant, parse_instant
from loopx.core.todo import Status
from loopx.store.events import last_actor
from loopx.store.todos import get_todo

if TYPE_CHECKING:
    from loopx.app.project import Project, Snapshot
    from loopx.core.errors import LoopxError
    from loopx.team.seat import Seat

COMPLETED = "todo_completed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A todo that this worker holds, with the token that completes it."""

    todo_id: str
    token: str
    lease_id: str
    expires_at: Instant
    document: dict[str, Any]  # as `claim_next_v1` has it


class WorkStealing:
    """Claims and settles todos for one seat."""

    def __init__(self, seat: Seat, *, ttl: Duration = DEFAULT_TTL) -> None:
        self.seat = seat
        self.ttl = ttl

    @property
    def wish(self) -> Wish:
        """What claim-next is asked with."""
        return Wish(self.ttl, self.seat.capabilities, self.seat.folder)

    @property
    def question(self) -> Question:
        """What should-run is asked with."""
        seat = self.seat
        return Question(seat.goal_id, seat.agent_id, seat.capabilities, seat.folder)

    def claim_of(self, document: dict[str, Any]) -> Claim:
        """The claim that a turn has brought."""
        now = self.seat.project.clock.now()
        return Claim(
            todo_id=document["task"]["id"],
            token=document["claim_token"],
            lease_id=document["lease"]["lease_id"],
            expires_at=parse_instant(document["lease_expires_at_utc"], now=now),
            document=document,
        )

    def text_of(self, claim: Claim) -> str:
        """The todo's whole text."""
        return str(show_todo(self.seat.project, claim.todo_id)["todo"]["text"])

    def renew(self, claim: Claim) -> Instant:
        """Keep the lease for its whole time from now on; until when. The refusals of `renew_lease`."""
        step = LeaseStep(claim.lease_id, ttl=self.ttl)
        lease = renew_lease(self.seat.project, self._call("lease_renewed", claim), step)["lease"]
        return parse_instant(lease["expires_at"], now=self.seat.project.clock.now())

    def release(self, claim: Claim) -> bool:
        """Give the todo back at once, for others to take; False where it was not held any more."""
        try:
            release_lease(self.seat.project, self._call("lease_released", claim), LeaseStep(claim.lease_id))
        except (RefusedError, ConflictError):
            return False
        return True

    async def complete(self, claim: Claim, evidence: str) -> None:
        """Close the todo with its token, after its own check where it has one; the refusals of `complete_todo`.

        A check takes its time, and the lease must be renewed meanwhile: it is run beside the event loop.
        """
        if show_todo(self.seat.project, claim.todo_id)["todo"]["validation_command"] is None:
            self._close(self.seat.project, claim, evidence)
        else:
            await asyncio.to_thread(self._close_apart, claim, evidence)

    def _close_apart(self, claim: Claim, evidence: str) -> None:
        """The same over connections of this thread's own, as SQLite demands."""
        with closing(self.seat.project.another()) as project:
            self._close(project, claim, evidence)

    def _close(self, project: Project, claim: Claim, evidence: str) -> None:
        completion = Completion(evidence=evidence, following=Following(no_followup=True), folder=self.seat.folder)
        call = self._call(COMPLETED, claim)._replace(reason="the command ended with 0 (--complete-on-success)")
        complete_todo(project, call, claim.todo_id, completion)

    def is_completed(self, claim: Claim) -> bool:
        """Whether this agent completed the todo, by whichever of its processes."""

        def query(snapshot: Snapshot) -> bool:
            is_done = get_todo(snapshot.db, claim.todo_id).status is Status.DONE
            return is_done and last_actor(snapshot.db, claim.todo_id, COMPLETED) == self.seat.agent_id

        return self.seat.project.read(query)

    def note_late(self, claim: Claim, evidence: str, refused: LoopxError) -> None:
        """Keep what a run has to show for work that it lost, as a note and never as the result (S4.11)."""
        note_attempt(self.seat.project, self._call(COMPLETED, claim), claim.todo_id, evidence, refused)

    def _call(self, action: str, claim: Claim) -> Any:
        return self.seat.call(action, claim_token=claim.token)
