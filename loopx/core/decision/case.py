"""One decision's working values: the snapshot as one caller sees it, and what a stage answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.capability import effective_capabilities
from loopx.core.decision.gate import GateReach, reach_of
from loopx.core.decision.reason import CONSEQUENCES, Consequence, ReasonCode, Stage
from loopx.core.decision.snapshot import Caller, Cohort, Holding, Snapshot
from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from loopx.core.instant import Instant

NO_FACTS: Mapping[str, object] = {}


class Case(Value):
    """What every stage reads: the snapshot, who asks, the moment, and what follows from these."""

    snapshot: Snapshot
    caller: Caller
    now: Instant
    peers: tuple[str, ...]  # registered agents that are not retired, the caller included
    capabilities: frozenset[str]
    gates: GateReach

    @property
    def agent_id(self) -> str:
        return self.caller.agent_id

    @property
    def goal_id(self) -> str:
        return self.snapshot.goal.goal_id

    @property
    def is_team(self) -> bool:
        """Whether more than one agent may act; retired ones do not count."""
        return len(self.peers) > 1


def case_of(snapshot: Snapshot, caller: Caller, now: Instant) -> Case:
    """The case of a registered caller."""
    peers = tuple(agent.agent_id for agent in snapshot.goal.active_agents)
    return Case(
        snapshot=snapshot,
        caller=caller,
        now=now,
        peers=peers,
        capabilities=effective_capabilities(snapshot.goal, caller.agent_id, caller.capabilities),
        gates=reach_of(snapshot, caller.agent_id, peers),
    )


class Drop(Value):
    """A stage's refusal of a cohort, with the ids and values behind it."""

    stage: Stage
    reason_code: ReasonCode
    facts: Mapping[str, object] = NO_FACTS

    @property
    def consequence(self) -> Consequence:
        """What it leads to where it is all that is in the way."""
        return CONSEQUENCES[self.reason_code]

    def named(self, fact: str) -> str:
        """The fact of that name, as text."""
        return str(self.facts[fact])


def is_mine(case: Case, cohort: Cohort) -> bool:
    """Whether the caller holds it, by a live claim or by its own lease."""
    return cohort.holder == case.agent_id and cohort.holding in (Holding.CLAIMED, Holding.LEASED)


def is_held_by_peer(case: Case, cohort: Cohort) -> bool:
    """Whether another agent's live claim or lease is on it."""
    return cohort.holding in (Holding.CLAIMED, Holding.LEASED) and cohort.holder != case.agent_id
