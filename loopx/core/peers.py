"""Equal peers: a deterministic routing suggestion, never ownership (W2.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.digest import sha256_bytes
from loopx.core.name import normalise_name

if TYPE_CHECKING:
    from collections.abc import Iterable


def normalised_peer_ids(agent_ids: Iterable[str]) -> tuple[str, ...]:
    """The ids in their one spelling, each once, sorted."""
    return tuple(sorted({normalise_name(agent_id, what="agent id") for agent_id in agent_ids}))


def select_peer_for_work(registered_agents: Iterable[str], work_key: str) -> str | None:
    """The peer that the key points to: the first 8 bytes of its SHA-256, big-endian, modulo their number."""
    agents = normalised_peer_ids(registered_agents)
    if not agents:
        return None
    number = int.from_bytes(sha256_bytes(work_key.encode("utf-8"))[:8], "big")
    return agents[number % len(agents)]
