"""Who works on a goal: each agent with what it can do, what it holds, and when it was last heard of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.contracts.goal_document import agent_document
from loopx.contracts.todo_document import brief_todo, is_claim_stale
from loopx.core.instant import format_instant
from loopx.core.secret import masked
from loopx.core.value import Value
from loopx.store.glance import latest_acts
from loopx.store.overview import held_todos
from loopx.store.workers import find_worker

if TYPE_CHECKING:
    from loopx.app.mutation import Document
    from loopx.app.project import Project, Snapshot
    from loopx.core.goal import Goal
    from loopx.core.instant import Instant
    from loopx.core.todo import Todo
    from loopx.store.connection import Connection
    from loopx.store.glance import Act

SHOWN = 200  # held todos, those of best rank first
_RECENT = 2_000  # events that are looked through for a sign of life; older ones say nothing about today


class Member(Value):
    """One agent: `held` are its todos with how it holds them, `last` its newest act among the recent events.

    `worker` is the one that it runs in or ran in last, as that noted itself when it started and ended.
    """

    agent: Document
    held: tuple[Document, ...]
    last: Document | None
    worker: Document | None


class Crew(Value):
    """The agents of a goal, and those that hold work without being registered (any more)."""

    goal_id: str
    members: tuple[Member, ...]
    held_total: int


def read_crew(project: Project, goal_id: str | None) -> Crew:
    """The crew of one goal. GoalNotFoundError; UsageError where several goals could be meant."""

    def query(snapshot: Snapshot) -> Crew:
        goal = snapshot.registry.goal(goal_id)
        todos, total = held_todos(snapshot.db, goal.goal_id, snapshot.now, SHOWN)
        held: dict[str, list[Document]] = {}
        for todo in todos:
            agent_id, document = _holding(snapshot, goal, todo)
            held.setdefault(agent_id, []).append(document)
        last = {act.actor: _act(act) for act in latest_acts(snapshot.db, goal.goal_id, _RECENT)}
        agents = {agent.agent_id: agent_document(agent) for agent in goal.agents}
        gone = {name: {"agent_id": name, "capabilities": [], "retired": True} for name in held if name not in agents}
        members = [
            Member(document, tuple(held.get(name, ())), last.get(name), _worker(snapshot.db, goal.goal_id, name))
            for name, document in (agents | gone).items()
        ]
        return Crew(goal.goal_id, tuple(members), total)

    return project.read(query)


def _holding(snapshot: Snapshot, goal: Goal, todo: Todo) -> tuple[str, Document]:
    """The holder of the live lease, otherwise of the claim; and the todo with how it is held."""
    lease, claim = todo.live_lease(snapshot.now), todo.claim
    if lease is not None:
        return lease.holder, _held(todo, "leased", lease.acquired_at, lease.expires_at)
    assert claim is not None
    is_stale = is_claim_stale(todo, snapshot.now, [agent.agent_id for agent in goal.active_agents])
    return claim.agent_id, _held(todo, "stale" if is_stale else "claimed", claim.claimed_at, claim.expires_at)


def _held(todo: Todo, how: str, since: Instant, until: Instant) -> Document:
    return {**brief_todo(todo), "held": how, "since": format_instant(since), "until": format_instant(until)}


def _worker(db: Connection, goal_id: str, agent_id: str) -> Document | None:
    worker = find_worker(db, goal_id, agent_id)
    if worker is None:
        return None
    return {
        "role": worker.role,
        "runner": masked(worker.runner),
        "started_at": format_instant(worker.started_at),
        "ended_at": None if worker.ended_at is None else format_instant(worker.ended_at),
        "ended_by": worker.ended_by,
        "tasks": worker.tasks,
        "completed": worker.completed,
    }


def _act(act: Act) -> Document:
    return {"action": act.action, "todo_id": act.todo_id, "at": format_instant(act.at)}
