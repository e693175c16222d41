"""New parts of a registry as they are written: short, and only what is not the default."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.goal import GoalState
from loopx.core.name import normalise_name
from loopx.core.text import checked_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopx.core.goal import Material
    from loopx.registry.spell import Content

PEER_MODEL = "peer_v1"

Entry = dict[str, "Content"]


def goal_entry(goal_id: str, objective: str, acceptance: Iterable[str] = (), agents: Iterable[str] = ()) -> Entry:
    """An active goal of equal peers. UsageError, TextInvalidError."""
    return {
        "id": normalise_name(goal_id, what="goal id"),
        "objective": checked_text(objective, field="objective"),
        "state": GoalState.ACTIVE.value,
        "acceptance": criterion_entries(acceptance),
        "coordination": {
            "agent_model": PEER_MODEL,
            "agents": [agent_entry(normalise_name(agent, what="agent id")) for agent in agents],
        },
    }


def criterion_entries(texts: Iterable[str], *, after: Iterable[str] = ()) -> list[dict[str, str]]:
    """Acceptance criteria under A1, A2, … or, where ids of that form are taken, the numbers behind them."""
    numbers = [int(name[1:]) for name in after if name[:1] in ("A", "a") and name[1:].isdecimal()]
    first = max(numbers, default=0) + 1
    return [
        {"id": f"A{number}", "text": checked_text(text, field="acceptance")}
        for number, text in enumerate(texts, start=first)
    ]


def agent_entry(agent_id: str, capabilities: Iterable[str] = ()) -> Entry:
    """A peer and what it can do."""
    names = list(dict.fromkeys(capability_name(name) for name in capabilities))
    return {"id": agent_id, "capabilities": names} if names else {"id": agent_id}


def capability_name(text: str) -> str:
    """A capability in its one spelling; UsageError."""
    return normalise_name(text, what="capability")


def grant_entry(agent_id: str, actions: Iterable[str], *, requires_reason: bool) -> Entry:
    """Lifecycle authority of one agent (W4.2)."""
    entry: Entry = {"agent_id": agent_id, "actions": list(dict.fromkeys(actions))}
    return {**entry, "requires_reason": True} if requires_reason else entry


def material_entry(material: Material) -> Entry:
    """A document to read; TextInvalidError."""
    entry: Entry = {"id": material.id, "path": checked_text(material.path, field="path")}
    for field, text in (("relation", material.relation), ("purpose", material.purpose)):
        if text is not None:
            entry[field] = checked_text(text, field=field)
    if material.required_for:
        entry["required_for"] = list(material.required_for)
    return entry
