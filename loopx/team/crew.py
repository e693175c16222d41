"""A team: one lead and its workers, in one process or in one each, from the first prompt to the last handshake.

The team ends where nothing is left to do: the lead's prompt is done, every worker has found nothing for a whole
idle timeout, and no mail waits for them. That is the lead's decision, carried out by the typed handshake; an
idle worker by itself never invents a shutdown (S4.5).
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from loopx.app.message import acknowledge_message
from loopx.app.mutation import Call
from loopx.app.shutdown import request_shutdown, shutdown_answer
from loopx.core.actor import Actor, ActorKind
from loopx.core.errors import UsageError
from loopx.core.instant import MILLISECOND, SECOND, Duration
from loopx.core.message import PERSON
from loopx.store.database import project_id
from loopx.store.mailbox import oldest_unread
from loopx.team.idle import AsyncSleeper, LoopSleeper
from loopx.team.presence import presence_of
from loopx.team.tasks import ended, race

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopx.app.project import Project, Snapshot
    from loopx.team.member import LocalMember, Member

TEAM_SCHEMA = "team_run_v1"
_LOOK: Duration = 200 * MILLISECOND  # how often the team is looked at: lock files, and a read of the mailboxes
_HANDSHAKE: Duration = 60 * SECOND  # an idle worker answers in a moment; one that does not is stopped

Document = dict[str, Any]


class TeamEnding(StrEnum):
    QUIET = "quiet"  # nothing was left to do
    WORKERS = "workers"  # every worker had ended by itself
    SIGNAL = "signal"
    FAILURE = "failure"  # a worker failed, not a task


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamOrder:
    """The parts of a team. `lead` is the worker of the lead, where it has one; its mailbox is the name's."""

    project: Project
    goal_id: str
    lead_name: str  # an agent, or the goal's person
    lead: LocalMember | None
    members: tuple[Member, ...]
    keeps: bool = False  # stay when there is nothing left to do


@dataclass(slots=True)
class _Part:
    """A member on its way."""

    member: Member
    task: asyncio.Task[Document]
    accepted: bool = False

    @property
    def has_failed(self) -> bool:
        """Whether it has ended by a fault of its own."""
        return self.task.done() and "error" in self.task.result()


@dataclass(slots=True)
class Crew:
    """Runs a team of an order."""

    order: TeamOrder
    sleeper: AsyncSleeper = field(default_factory=LoopSleeper)
    tell: Callable[[str], None] = lambda _line: None
    _parts: dict[str, _Part] = field(default_factory=dict)
    _stopped: asyncio.Event = field(default_factory=asyncio.Event)

    def stop(self) -> None:
        """End soon: every worker finishes or releases what it has."""
        self._stopped.set()
        for part in self._parts.values():
            part.member.stop()

    def add(self, member: Member) -> None:
        """Start one more worker. UsageError where one of that agent works in the team."""
        part = self._parts.get(member.agent_id)
        if part is not None and not part.task.done():
            raise UsageError(f"{member.agent_id} works in this team already", hint="Name another agent.")
        self._parts[member.agent_id] = _Part(member, asyncio.ensure_future(member.run()))
        self.tell(f"{member.agent_id} starts")

    async def run(self) -> Document:
        """The document of the team, once it has ended; no worker of it is left then."""
        try:
            for member in (*self.order.members, *([self.order.lead] if self.order.lead else [])):
                self.add(member)
            ending = await self._until_over()
            await self._end(ending)
        finally:
            await ended(part.task for part in self._parts.values())
        return self._document(ending)

    # --- watching --------------------------------------------------------------------------

    async def _until_over(self) -> TeamEnding:
        while True:
            if self._stopped.is_set():
                return TeamEnding.SIGNAL
            if self._has_failed():
                return TeamEnding.FAILURE
            if all(part.task.done() for part in self._parts.values()):
                return TeamEnding.WORKERS
            if not self.order.keeps and self._is_quiet():
                return TeamEnding.QUIET
            await race(self._stopped.wait(), self.sleeper.sleep(_LOOK))

    def _has_failed(self) -> bool:
        """Whether the lead has, or every worker: one that is gone leaves its work to the others."""
        lead = self.order.lead
        workers = self._workers
        is_alone = bool(workers) and all(part.has_failed for part in workers)
        return is_alone or (lead is not None and self._parts[lead.agent_id].has_failed)

    @property
    def _workers(self) -> list[_Part]:
        """All but the lead, which may be done long before."""
        return [part for part in self._parts.values() if part.member is not self.order.lead]

    def _is_quiet(self) -> bool:
        """Whether the lead's prompt is done, and nobody works, looks for work or has mail."""
        living = [part.member for part in self._parts.values() if not part.task.done()]
        return all(self._is_waiting(member) for member in living) and not self._has_mail(living)

    def _is_waiting(self, member: Member) -> bool:
        presence = presence_of(self.order.project, self.order.goal_id, member.agent_id)
        return presence is not None and presence.is_waiting

    def _has_mail(self, living: list[Member]) -> bool:
        def query(snapshot: Snapshot) -> bool:
            return any(oldest_unread(snapshot.db, self.order.goal_id, member.agent_id) for member in living)

        return self.order.project.read(query)

    # --- ending ----------------------------------------------------------------------------

    async def _end(self, ending: TeamEnding) -> None:
        """By the handshake where the team agrees that it is over; whoever is left after that is stopped."""
        if ending is TeamEnding.QUIET:
            await race(self._shaken_hands(), self._stopped.wait(), self.sleeper.sleep(_HANDSHAKE))
        for part in self._running:
            part.member.stop()
        if self._running:
            await asyncio.wait([part.task for part in self._running])

    @property
    def _running(self) -> list[_Part]:
        return [part for part in self._parts.values() if not part.task.done()]

    async def _shaken_hands(self) -> None:
        """Ask each worker to end, take in its typed answer, and wait until it is gone."""
        asked = {part.member.agent_id: self._ask(part) for part in self._running}
        while asked or self._running:
            for agent_id, request in list(asked.items()):
                if self._is_answered(self._parts[agent_id], request):
                    del asked[agent_id]
            await self.sleeper.sleep(_LOOK)

    def _ask(self, part: _Part) -> Document:
        self.tell(f"{part.member.agent_id} is asked to end")
        call = self._call("shutdown_requested", reason="nothing is left to do")
        return request_shutdown(self.order.project, call, part.member.agent_id)

    def _is_answered(self, part: _Part, request: Document) -> bool:
        answer = shutdown_answer(self.order.project, request)
        if answer is None:
            return part.task.done()
        acknowledge_message(self.order.project, self._call("message_acknowledged"), answer.message_id)
        part.accepted = True
        return True

    def _call(self, action: str, **more: Any) -> Call:
        name = self.order.lead_name
        actor = Actor(ActorKind.USER) if name == PERSON else Actor(ActorKind.AGENT, name)
        return Call(action=action, actor=actor, intent=None, goal_id=self.order.goal_id, **more)

    # --- telling ---------------------------------------------------------------------------

    def _document(self, ending: TeamEnding) -> Document:
        return {
            "schema_version": TEAM_SCHEMA,
            "ok": True,
            "lead": self._lead_told(self.order.lead) if self.order.lead is not None else None,
            "ended_by": ending.value,
            "workers": [_told(part) for part in self._workers],
            "shut_down": [part.member.agent_id for part in self._parts.values() if part.accepted],
            "state": self.order.project.read(lambda snapshot: project_id(snapshot.db)),
            "warnings": [],
        }

    def _lead_told(self, lead: LocalMember) -> Document:
        worker, fault = lead.service.worker, self._parts[lead.agent_id].task.result().get("error")
        answer = worker.answer if worker is not None else None
        return {
            "agent_id": lead.agent_id,
            "succeeded": answer is not None and answer.succeeded,
            "summary": fault["message"] if fault else answer.summary if answer else "",
            "text": answer.text if answer is not None else "",
        }


def _told(part: _Part) -> Document:
    """The worker's own document without its envelope, or the error that ended it."""
    document = part.task.result()
    if "error" in document:
        return {"agent_id": part.member.agent_id, **document}
    return {name: value for name, value in document.items() if name not in _ENVELOPE}


_ENVELOPE = frozenset(("schema_version", "ok", "state", "warnings"))
