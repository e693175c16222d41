"""`handoff create|list`: a handoff is an event of its own; only work after it shows that somebody went on (W11.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.handoff_packet import HANDOFF_SCHEMA, HandoffQuestion, Packet, is_run_seen, read_packet
from loopx.app.mutation import Call, Document, Outcome, Work, mutate
from loopx.app.project import Snapshot
from loopx.contracts.handoff_document import field_digests, handoff_document, handoff_row, surface_digest
from loopx.core.command import command
from loopx.core.errors import UsageError
from loopx.core.handoff import Handoff, decide_handoff_state
from loopx.store.database import project_id
from loopx.store.events import last_sequence
from loopx.store.handoffs import handoff_total, select_handoffs, work_runs

if TYPE_CHECKING:
    from loopx.app.page import Page
    from loopx.app.project import Project
    from loopx.core.goal import Goal

LIST_SCHEMA = "handoff_list_v1"


def create_handoff(project: Project, call: Call, to_agent: str | None) -> Document:
    """Record that the acting agent (or a person) hands the goal over, and answer with the packet.

    Nothing is started, claimed or leased. UsageError where several could take it and none is named;
    AgentNotRegisteredError, GraphInvalidError.
    """

    def change(work: Work) -> Outcome:
        snapshot = Snapshot(work.tx.db, work.registry, work.now, project_id(work.tx.db))
        receiver = to_agent if to_agent is not None else _only_peer(work.goal, work.actor.agent_id)
        question = HandoffQuestion(work.goal.goal_id, work.actor.agent_id, receiver)
        packet = read_packet(project, snapshot, question)
        recorded = _record(work, packet)
        work.tx.put("handoffs", ("handoff_id",), recorded.record())
        state = decide_handoff_state(packet.surface.checks, run_seen=False)
        document = handoff_document(packet.surface, state, recorded, recorded.from_agent)
        body: Document = {"schema_version": HANDOFF_SCHEMA, "ok": True, "handoff": document}
        notes = (("to", recorded.to_agent), ("digest", recorded.digest))
        return Outcome(body, next_command=_look(recorded), warnings=_lacks(packet), notes=notes)

    return mutate(project, call, change)


def _only_peer(goal: Goal, sender: str | None) -> str:
    """Who takes it where nobody was named: the only other agent, or the only one."""
    active = [agent.agent_id for agent in goal.active_agents]
    others = [agent_id for agent_id in active if agent_id != sender] or active
    if len(others) != 1:
        raise UsageError(
            f"{goal.goal_id} has {len(others)} agents that could go on, and none was named",
            hint="Name the receiver with --to; `loopx agent list` shows the agents.",
            goal_id=goal.goal_id,
        )
    return others[0]


def _record(work: Work, packet: Packet) -> Handoff:
    db, surface = work.tx.db, packet.surface
    return Handoff(
        handoff_id=work.tx.ids.new("handoff"),
        sequence=last_sequence(db) + 1,
        goal_id=surface.goal_id,
        from_agent=work.actor.agent_id,
        to_agent=surface.to_agent,
        created_at=work.now,
        receiver_runs=work_runs(db, surface.goal_id, surface.to_agent),
        digest=surface_digest(surface.fields),
        fields=field_digests(surface.fields),
    )


def _look(recorded: Handoff) -> str:
    return command("handoff", "prompt", "--goal-id", recorded.goal_id, "--to", recorded.to_agent)


def _lacks(packet: Packet) -> tuple[str, ...]:
    """One warning that names the checks that fail; the handoff is recorded all the same."""
    checks = packet.surface.checks
    missing = [name for name, holds in zip(checks._fields, checks, strict=True) if not holds]
    return (f"the receiver cannot go on from this yet: {', '.join(missing)}",) if missing else ()


def list_handoffs(project: Project, goal_id: str | None, page: Page) -> Document:
    """The recorded handoffs of a goal, newest first, and whether the receiver has worked since."""

    def query(snapshot: Snapshot) -> Document:
        goal = snapshot.registry.goal(goal_id)
        before = page.after or None
        found = select_handoffs(snapshot.db, goal.goal_id, before=before, limit=page.limit + 1)
        shown = found[: page.limit]
        truncated = len(found) > page.limit
        return {
            "schema_version": LIST_SCHEMA,
            "ok": True,
            "goal_id": goal.goal_id,
            "handoffs": [handoff_row(one, run_seen=is_run_seen(snapshot, one)) for one in shown],
            "total": handoff_total(snapshot.db, goal.goal_id),
            "truncated": truncated,
            "next_cursor": str(shown[-1].sequence) if truncated else None,
            "state": snapshot.state,
        }

    return project.read(query)
