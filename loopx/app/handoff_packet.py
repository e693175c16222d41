"""The handoff packet: the decision surface of one goal for one receiver, from durable state alone (W11).

It is read and never kept. Every part is bounded, every text masked; the next action and the open frontier
are those of `quota should-run` on the same snapshot, so the two can never disagree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.handoff_surface import read_surface
from loopx.app.project import Snapshot, registered_agent
from loopx.contracts.handoff_document import handoff_document
from loopx.core.errors import AgentNotRegisteredError
from loopx.core.handoff import FIELDS, Surface, decide_handoff_state
from loopx.core.peers import select_peer_for_work
from loopx.core.value import Value
from loopx.store.guard import refuse_undecidable
from loopx.store.handoffs import find_handoff, work_runs

if TYPE_CHECKING:
    from loopx.app.mutation import Document
    from loopx.app.project import Project
    from loopx.core.goal import Goal
    from loopx.core.handoff import Handoff
    from loopx.core.instant import Instant

HANDOFF_SCHEMA = "handoff_v1"


class HandoffQuestion(Value):
    """Whose work goes to whom; where nobody is named to take it, see `receiver_of`.

    `at` evaluates the state as of that instant, so that two readings can be compared.
    """

    goal_id: str | None
    from_agent: str | None = None
    to_agent: str | None = None
    at: Instant | None = None


class Packet(Value):
    """One reading: the surface, the newest handoff to this receiver, and the document's `handoff`."""

    surface: Surface
    recorded: Handoff | None
    handoff: Document

    @property
    def fields(self) -> dict[str, object]:
        """The parts that a handoff must reconstruct."""
        return {name: self.handoff[name] for name in FIELDS}


def handoff_packet(project: Project, question: HandoffQuestion) -> Document:
    """The packet's document. Nothing is written.

    GoalNotFoundError, AgentNotRegisteredError, GraphInvalidError.
    """

    def query(snapshot: Snapshot) -> Document:
        packet = read_packet(project, snapshot, question)
        return {"schema_version": HANDOFF_SCHEMA, "ok": True, "handoff": packet.handoff, "state": snapshot.state}

    return project.read(query)


def read_packet(project: Project, snapshot: Snapshot, question: HandoffQuestion) -> Packet:
    """The packet on a snapshot that is open already."""
    refuse_undecidable(snapshot.db)
    if question.at is not None:
        snapshot = snapshot._replace(now=question.at)
    goal = snapshot.registry.goal(question.goal_id)
    to_agent = receiver_of(snapshot, goal, question)
    recorded = find_handoff(snapshot.db, goal.goal_id, to_agent)
    sender = registered_agent(goal, question.from_agent) if question.from_agent is not None else None
    if sender is None and recorded is not None:
        sender = recorded.from_agent
    surface = read_surface(project, snapshot, goal, to_agent)
    state = decide_handoff_state(surface.checks, run_seen=is_run_seen(snapshot, recorded))
    return Packet(surface, recorded, handoff_document(surface, state, recorded, sender))


def receiver_of(snapshot: Snapshot, goal: Goal, question: HandoffQuestion) -> str:
    """Who goes on: who is named, else who asks, else the newest handoff's receiver, else a suggested peer.

    AgentNotRegisteredError, also for a goal without any agent.
    """
    named = question.to_agent if question.to_agent is not None else question.from_agent
    if named is not None:
        return registered_agent(goal, named)
    active = [agent.agent_id for agent in goal.active_agents]
    recorded = find_handoff(snapshot.db, goal.goal_id)
    if recorded is not None and recorded.to_agent in active:
        return recorded.to_agent
    suggested = select_peer_for_work(active, goal.goal_id)
    if suggested is None:
        raise AgentNotRegisteredError(
            f"{goal.goal_id} has no agent that could go on",
            hint="Register one with `loopx agent register`.",
            goal_id=goal.goal_id,
        )
    return suggested


def is_run_seen(snapshot: Snapshot, recorded: Handoff | None) -> bool:
    """Whether the receiver has written a work run back since the handoff (W11.6)."""
    if recorded is None:
        return False
    return work_runs(snapshot.db, recorded.goal_id, recorded.to_agent) > recorded.receiver_runs
