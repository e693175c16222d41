"""From the options of `worker run` to a worker that serves: what is wrong is refused before anything is opened."""

from __future__ import annotations

import asyncio
import gc
import os
from contextlib import nullcontext
from typing import TYPE_CHECKING

from loopx.cli.context import working_directory
from loopx.cli.output import write_note
from loopx.core.errors import IdentityMismatchError, UsageError
from loopx.core.name import normalise_name
from loopx.settings import TEAMMATE
from loopx.team.parent import ending_with_input
from loopx.team.seat import Seat
from loopx.team.service import Service, WorkerOrder
from loopx.team.signals import ending_signals

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document
    from loopx.cli.worker.options import Given
    from loopx.team.worker import WorkerPolicy


def serve_worker(
    invocation: Invocation, given: Given, policy: WorkerPolicy, *, role: str, lead: str | None, ends_with_input: bool
) -> Document:
    """Run one worker to its end; the document bears 130 or 143 as its exit code where a signal ended it."""
    gc.enable()  # a worker lives long; the entry point turned collecting off for calls that do not
    refuse_rise(invocation, role)
    make = given.runner()
    seat = seat_of(invocation, given, invocation.agent(), role=role, lead=lead)
    order = WorkerOrder(
        seat=seat,
        runner=make,
        environment=os.environ,
        policy=policy,
        ttl=given.ttl,
        uses_worktree=given.uses_worktree,
    )
    service = Service(order, tell=lambda line: write_note(f"{seat.agent_id}: {line}"))
    return asyncio.run(_served(service, ends_with_input=ends_with_input))


async def _served(service: Service, *, ends_with_input: bool) -> Document:
    with ending_signals(service.stop) as caught, ending_with_input(service.stop) if ends_with_input else nullcontext():
        document = await service.run()
    return {**document, "_exit_code": caught.exit_code}


def seat_of(invocation: Invocation, given: Given, agent_id: str, *, role: str, lead: str | None) -> Seat:
    """The seat of that agent on the call's goal. GoalNotFoundError, UsageError."""
    project = invocation.project()
    goal_id = project.read(lambda snapshot: snapshot.registry.goal(invocation.goal_id)).goal_id
    folder = working_directory()
    if folder is None:
        raise UsageError("the current folder was deleted", hint="Start the worker in a folder that exists.")
    return Seat(
        project=project,
        goal_id=goal_id,
        agent_id=agent_id,
        role=role,
        folder=folder,
        lead=normalise_name(lead, what="lead") if lead is not None else None,
        capabilities=given.capabilities,
    )


def refuse_rise(invocation: Invocation, role: str) -> None:
    """IdentityMismatchError where a teammate would start a worker that may do more than itself (S3.2)."""
    if invocation.settings.role == TEAMMATE and role != TEAMMATE:
        raise IdentityMismatchError(
            f"a teammate cannot start a worker in the role {role}", hint="Leave --role out.", role=role
        )
