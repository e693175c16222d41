"""A handoff: what makes its surface complete, what state it is in, and how far two readings differ (W11).

A handoff starts nothing. Whether somebody went on is told by a later work run of the receiver alone.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any

from loopx.core.instant import Instant
from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from loopx.core.decision.decision import Decision

# What a peer that never saw the conversation must find again (W11.4), materials and lineage among it.
FIELDS = (
    "objective",
    "authority",
    "validation_surface",
    "frontier",
    "gates",
    "claims",
    "next_action",
    "stop_condition",
    "material_frontier",
    "lineage",
)


class HandoffState(StrEnum):
    """Where a handoff stands (W11.3)."""

    NOT_READY = "not_ready"  # something that the receiver needs is missing
    READY = "ready_waiting_for_run"  # everything is there and nobody has gone on yet
    RUN_SEEN = "post_handoff_run_seen"  # the receiver has worked since


class SurfaceChecks(Value):
    """What the packet must have before anybody can go on from it (W11.2); the wire names."""

    project_asset_backed: bool  # made of recorded state: the history has an event
    same_source_should_run: bool  # its next action is the decision's on the same snapshot
    codex_ready: bool  # the receiver is awaited, and its quota allows it
    handoff_has_next_action: bool
    handoff_has_stop_condition: bool
    handoff_sanitized_surface: bool  # masking once more would change nothing

    @property
    def is_complete(self) -> bool:
        return all(self)


class Surface(Value):
    """One reading for one receiver: the parts of `FIELDS`, the checks, and the decision that both come from."""

    goal_id: str
    to_agent: str
    evaluated_at: Instant
    sequence: int  # of the last event that the reading has seen
    fields: dict[str, Any]
    checks: SurfaceChecks
    decision: Decision


class Handoff(Value):
    """One recorded handoff. `sequence` is its event's; `receiver_runs` the receiver's work runs before it."""

    handoff_id: str
    sequence: int
    goal_id: str
    from_agent: str | None  # None: a person handed over
    to_agent: str
    created_at: Instant
    receiver_runs: int
    digest: str
    fields: Mapping[str, str]  # name → digest of what it held

    def record(self) -> dict[str, Any]:
        """The flat record of the stored facts; the fields as one text."""
        return {
            **dict(zip(self._fields, self, strict=True)),
            "fields": " ".join(f"{name}={digest}" for name, digest in self.fields.items()),
        }


def handoff_of(record: Mapping[str, Any]) -> Handoff:
    """The value of a flat record."""
    pairs = (pair.partition("=") for pair in record["fields"].split())
    return Handoff(**{**record, "fields": {name: digest for name, _, digest in pairs}})


def decide_handoff_state(checks: SurfaceChecks, *, run_seen: bool) -> HandoffState:
    """The state; only a later work run of the receiver counts as going on (W11.3, W11.6)."""
    if run_seen:
        return HandoffState.RUN_SEEN
    return HandoffState.READY if checks.is_complete else HandoffState.NOT_READY


def drifted(before: Mapping[str, object], after: Mapping[str, object]) -> tuple[str, ...]:
    """The fields that two readings hold differently, a missing one among them; in the order of `FIELDS`."""
    return tuple(name for name in FIELDS if name not in after or before.get(name) != after[name])


def distance_of(drifts: Iterable[tuple[str, ...]]) -> float:
    """The share of fields that the worst of several readings lost or changed: 0.0 is a fixed point (W11.4)."""
    return max((len(drift) for drift in drifts), default=0) / len(FIELDS)
