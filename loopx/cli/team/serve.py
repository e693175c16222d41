"""From the options of `team run` to a team that works: what is wrong is refused before anything is opened."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from loopx.app.message import mailbox_of
from loopx.app.project import registered_agent
from loopx.cli.output import write_note
from loopx.cli.worker.options import command_maker
from loopx.cli.worker.serve import refuse_rise, seat_of
from loopx.core.errors import UsageError
from loopx.core.message import PERSON
from loopx.core.name import near_match, normalise_name
from loopx.settings import LEAD, ROLES, TEAMMATE
from loopx.team.crew import Crew, TeamEnding, TeamOrder
from loopx.team.member import LocalMember, Member, ProcessMember
from loopx.team.service import Service, WorkerOrder
from loopx.team.signals import ending_signals

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopx.cli.context import Invocation
    from loopx.cli.output import Document
    from loopx.cli.worker.options import Given
    from loopx.team.runner import Runner
    from loopx.team.seat import Seat


@dataclass(frozen=True, slots=True)
class LeadWish:
    """What the call says about the lead."""

    prompt: str | None
    program: str | None
    answers_mail: bool


@dataclass(frozen=True, slots=True)
class Teammate:
    """One worker to start."""

    agent_id: str
    role: str


def serve_team(
    invocation: Invocation,
    given: Given,
    lead: LeadWish,
    teammates: tuple[str, ...],
    *,
    one_process: bool,
    keeps: bool,
) -> Document:
    """Run the team to its end; 130 or 143 is the exit code where a signal ended it."""
    gc.enable()  # a team lives long; the entry point turned collecting off for calls that do not
    refuse_rise(invocation, LEAD)
    team = _Team(invocation, given, lead, [_teammate(text) for text in teammates], one_process=one_process)
    return asyncio.run(team.served(keeps=keeps))


class _Team:
    """The parts of a team, made from one call."""

    def __init__(
        self, invocation: Invocation, given: Given, lead: LeadWish, teammates: list[Teammate], *, one_process: bool
    ) -> None:
        if not teammates:
            raise UsageError("a team needs workers", hint="Name each with --teammate.")
        self._invocation, self._given, self._lead, self._teammates = invocation, given, lead, teammates
        self._one_process = one_process
        self._crew: Crew | None = None
        self._make = given.runner()
        self._make_lead = self._lead_runner() if lead.prompt is not None else None
        self._lead_name = invocation.actor().agent_id or PERSON
        self._seat = seat_of(invocation, given, self._lead_name, role=LEAD, lead=None)
        self._refuse_strangers()

    async def served(self, *, keeps: bool) -> Document:
        """Run it; the document of the team."""
        order = TeamOrder(
            project=self._seat.project,
            goal_id=self._seat.goal_id,
            lead_name=self._lead_name,
            lead=self._lead_member(),
            members=tuple(self._member(one) for one in self._teammates),
            keeps=keeps,
        )
        crew = self._crew = Crew(order, tell=lambda line: write_note(f"team: {line}"))
        with ending_signals(crew.stop) as caught:
            document = await crew.run()
        failed = document["ended_by"] == TeamEnding.FAILURE
        return {**document, "_exit_code": caught.exit_code or (UsageError.exit_code if failed else 0)}

    async def spawn(self, agent_id: str) -> Document:
        """Start one more teammate, as the lead's tool asks. AgentNotRegisteredError, UsageError."""
        goal_id = self._seat.goal_id
        name = self._seat.project.read(lambda snapshot: registered_agent(snapshot.registry.goal(goal_id), agent_id))
        assert self._crew is not None  # a lead runs only in its team
        self._crew.add(self._member(Teammate(name, TEAMMATE)))
        return {"agent_id": name, "started": True}

    def _lead_runner(self) -> Callable[[Seat, str], Runner]:
        if self._lead.program is not None:
            return command_maker(None, self._lead.program, self._given.policy().grace)
        return self._given.runner(self.spawn)

    def _refuse_strangers(self) -> None:
        """AgentNotRegisteredError, and UsageError for one agent in two places, before anybody starts."""
        names = [one.agent_id for one in self._teammates]
        if len({*names, self._lead_name}) <= len(names):
            raise UsageError("one agent stands twice in the team", hint="Name each worker once, and not the lead.")
        if self._make_lead is not None and self._lead_name == PERSON:
            raise UsageError(
                "a lead that runs is an agent: it must not answer for the person",
                hint="Name the lead with --agent-id, or leave --prompt out.",
            )
        goal_id = self._seat.goal_id
        goal = self._seat.project.read(lambda snapshot: snapshot.registry.goal(goal_id))
        mailbox_of(goal, self._lead_name)
        for name in names:
            registered_agent(goal, name)

    def _lead_member(self) -> LocalMember | None:
        if self._make_lead is None:
            return None
        order = WorkerOrder(
            seat=self._seat,
            runner=self._make_lead,
            environment=os.environ,
            policy=self._given.policy(once=not self._lead.answers_mail),
            claims=False,
            prompt=self._lead.prompt,
        )
        return LocalMember(Service(order, tell=_teller(self._lead_name)))

    def _member(self, one: Teammate) -> Member:
        return self._local(one) if self._one_process else self._process(one)

    def _local(self, one: Teammate) -> LocalMember:
        given = self._given
        seat = seat_of(self._invocation, given, one.agent_id, role=one.role, lead=self._lead_name)
        order = WorkerOrder(
            seat=seat,
            runner=self._make,
            environment=os.environ,
            policy=given.policy(),
            ttl=given.ttl,
            uses_worktree=given.uses_worktree,
        )
        return LocalMember(Service(order, tell=_teller(one.agent_id)))

    def _process(self, one: Teammate) -> ProcessMember:
        argv = [
            sys.executable, "-m", "loopx", "--format", "json", "--project", self._seat.project.location.root,
            "worker", "run", "--goal-id", self._seat.goal_id, "--agent-id", one.agent_id, "--role", one.role,
            "--lead", self._lead_name, "--end-with-input", *self._given.words(),
        ]  # fmt: skip
        return ProcessMember(one.agent_id, argv, environment=os.environ, folder=self._seat.folder)


def _teammate(text: str) -> Teammate:
    """The worker of `NAME[:ROLE]`; a colon may also be part of a name. UsageError."""
    name, colon, role = text.rpartition(":")
    if not colon:
        return Teammate(normalise_name(text, what="agent id"), TEAMMATE)
    if role not in ROLES:
        near = near_match(role, ROLES)
        raise UsageError(
            f"{role!r} is no role" + (f"; did you mean {near!r}?" if near else ""),
            hint=f"A teammate is NAME or NAME:ROLE; a role is {', '.join(ROLES)}.",
        )
    return Teammate(normalise_name(name, what="agent id"), role)


def _teller(agent_id: str) -> Callable[[str], None]:
    return lambda line: write_note(f"{agent_id}: {line}")
