"""Asking workers to end, and waiting for their typed answers (S4.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.app.message import acknowledge_message
from loopx.app.shutdown import request_shutdown, shutdown_answer
from loopx.app.wait import GLANCE
from loopx.store.database import project_id
from loopx.team.presence import presence_of

if TYPE_CHECKING:
    from loopx.app.mutation import Call
    from loopx.app.project import Project
    from loopx.core.instant import Duration
    from loopx.ports import Sleeper

SHUTDOWN_SCHEMA = "team_shutdown_v1"

Document = dict[str, Any]


def running_agents(project: Project, goal_id: str) -> list[str]:
    """The agents of the goal whose worker lives on this machine."""
    agents = project.read(lambda snapshot: snapshot.registry.goal(goal_id)).active_agents
    return [agent.agent_id for agent in agents if presence_of(project, goal_id, agent.agent_id) is not None]


def ask_to_end(project: Project, call: Call, agent_ids: list[str], *, patience: Duration, sleeper: Sleeper) -> Document:
    """Put a request into each mailbox, and wait at most that long for the answers, which are taken in.

    A request to an agent without a worker waits for its next one; a warning says so. RecipientNotFoundError.
    """
    asked = {agent_id: request_shutdown(project, call, agent_id) for agent_id in agent_ids}
    running = {agent_id: presence_of(project, call.goal_id or "", agent_id) is not None for agent_id in agent_ids}
    open_ones, left = set(asked), patience
    while True:
        open_ones -= {agent_id for agent_id in open_ones if _is_answered(project, call, asked[agent_id])}
        if not open_ones or left <= 0:
            break
        nap = min(GLANCE, left)
        sleeper.sleep(nap)
        left -= nap
    return _told(project, asked, running, open_ones)


def _is_answered(project: Project, call: Call, request: Document) -> bool:
    answer = shutdown_answer(project, request)
    if answer is None:
        return False
    if answer.acked_at is None:
        acknowledge_message(project, call._replace(action="message_acknowledged", operation_id=None), answer.message_id)
    return True


def _told(project: Project, asked: dict[str, Document], running: dict[str, bool], open_ones: set[str]) -> Document:
    alone = [agent_id for agent_id, is_running in running.items() if not is_running and agent_id in open_ones]
    return {
        "schema_version": SHUTDOWN_SCHEMA,
        "ok": True,
        "requests": [
            {
                "agent_id": agent_id,
                "request_id": document["message"]["request_id"],
                "message_id": document["message"]["message_id"],
                "is_running": running[agent_id],
                "accepted": agent_id not in open_ones,
            }
            for agent_id, document in asked.items()
        ],
        "accepted_total": len(asked) - len(open_ones),
        "state": project.read(lambda snapshot: project_id(snapshot.db)),
        "warnings": [
            f"no worker of {agent_id} runs on this machine: the request waits, and ends its next worker"
            for agent_id in alone
        ],
    }
