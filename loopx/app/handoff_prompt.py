"""`handoff prompt`: the packet as a short text to paste or pipe into any agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.handoff_packet import read_packet
from loopx.contracts.handoff_prompt import handoff_prompt

if TYPE_CHECKING:
    from loopx.app.handoff_packet import HandoffQuestion
    from loopx.app.mutation import Document
    from loopx.app.project import Project, Snapshot

PROMPT_SCHEMA = "handoff_prompt_v1"


def read_prompt(project: Project, question: HandoffQuestion) -> Document:
    """The brief for the receiver. Nothing is written. The refusals of `handoff_packet`."""

    def query(snapshot: Snapshot) -> Document:
        packet = read_packet(project, snapshot, question)
        prompt = handoff_prompt(packet.handoff, packet.surface.decision)
        return {
            "schema_version": PROMPT_SCHEMA,
            "ok": True,
            "goal_id": packet.surface.goal_id,
            "to": packet.surface.to_agent,
            "prompt": prompt.text,
            "bytes": len(prompt.text.encode("utf-8")),
            "truncated": prompt.truncated,
            "digest": packet.handoff["digest"],
            "state": snapshot.state,
        }

    return project.read(query)
