"""`team status`: each agent of a goal, whether its worker lives, what it does and what waits for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.app.page import Page, page_keys
from loopx.contracts.message_document import mailbox_document
from loopx.core.instant import format_instant
from loopx.core.message import PERSON
from loopx.store.mailbox import mailbox_state
from loopx.store.plans import newest_plan
from loopx.store.todos import bare_todos
from loopx.store.workers import find_worker
from loopx.team.presence import presence_of

if TYPE_CHECKING:
    from loopx.app.project import Project, Snapshot
    from loopx.core.instant import Instant
    from loopx.core.todo import Lease
    from loopx.core.worker import Worker

TEAM_SCHEMA = "team_status_v1"

Document = dict[str, Any]


def read_team(project: Project, goal_id: str | None, page: Page) -> Document:
    """A page of the goal's agents, in the order of the registry. GoalNotFoundError."""

    def query(snapshot: Snapshot) -> Document:
        goal = snapshot.registry.goal(goal_id)
        leased = _leased(snapshot, goal.goal_id)
        numbered = [(number, agent.agent_id) for number, agent in enumerate(goal.active_agents, start=1)][page.after :]
        return {
            "schema_version": TEAM_SCHEMA,
            "ok": True,
            "goal_id": goal.goal_id,
            "agents": [
                _agent(project, snapshot, goal.goal_id, name, leased.get(name)) for _, name in numbered[: page.limit]
            ],
            "total": len(goal.active_agents),
            **page_keys([number for number, _ in numbered], len(numbered), page.limit),
            "user_mailbox": mailbox_document(mailbox_state(snapshot.db, goal.goal_id, PERSON), snapshot.now),
            "state": snapshot.state,
        }

    return project.read(query)


def _leased(snapshot: Snapshot, goal_id: str) -> dict[str, Lease]:
    """The first live lease of each agent that has one."""
    where = "WHERE t.goal_id = ? AND t.lease_id IS NOT NULL AND t.lease_expires_at > ? ORDER BY t.sequence DESC"
    leases = [todo.lease for todo in bare_todos(snapshot.db, where, (goal_id, snapshot.now))]
    return {lease.holder: lease for lease in leases if lease is not None}


def _agent(project: Project, snapshot: Snapshot, goal_id: str, agent_id: str, lease: Lease | None) -> Document:
    db, now = snapshot.db, snapshot.now
    worker = find_worker(db, goal_id, agent_id)
    mailbox = mailbox_document(mailbox_state(db, goal_id, agent_id), now)
    plan = newest_plan(db, goal_id, agent_id)
    return {
        "agent_id": agent_id,
        "role": worker.role if worker else None,
        "worker": _worker_state(project, worker, goal_id, agent_id),
        "runner": worker.runner if worker else None,
        "lead": worker.lead if worker else None,
        "todo_id": lease.todo_id if lease else None,
        "lease_expires_at": format_instant(lease.expires_at) if lease else None,
        "unread": mailbox["unread"],
        "oldest_unread_seconds": mailbox["oldest_unread_seconds"],
        "plan": plan.status.value if plan else None,
        "tasks": worker.tasks if worker else 0,
        "completed": worker.completed if worker else 0,
        "idle_timeouts": worker.idle_timeouts if worker else 0,
        "started_at": _instant(worker.started_at if worker else None),
        "ended_at": _instant(worker.ended_at if worker else None),
        "ended_by": worker.ended_by if worker else None,
    }


def _worker_state(project: Project, worker: Worker | None, goal_id: str, agent_id: str) -> str:
    """A worker without a lock that never said goodbye is gone, or runs on another machine."""
    presence = presence_of(project, goal_id, agent_id)
    if presence is not None:
        return "working" if presence.state == "working" else "idle"
    if worker is None:
        return "none"
    return "ended" if worker.ended_at is not None else "gone"


def _instant(instant: Instant | None) -> str | None:
    return format_instant(instant) if instant is not None else None
