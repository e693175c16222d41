"""`handoff qualify`: does a peer that knows nothing reconstruct the same surface, again and again (W11.4)?

Each round is a new reading. Where the newest handoff is the last thing that happened, its recorded digests
are what the rounds must find again, so that a loss since then shows; otherwise the first reading is. All
readings are made as of one instant: what is measured is the state, not the passing of time. The measure is
no evidence for any work and changes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from loopx.app.handoff_packet import HandoffQuestion, read_packet
from loopx.contracts.handoff_document import field_digests
from loopx.core.errors import UsageError, WorkspaceMismatchError
from loopx.core.handoff import FIELDS, Handoff, distance_of, drifted
from loopx.core.instant import Instant, format_instant
from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from loopx.app.mutation import Document
    from loopx.app.project import Project, Snapshot

QUALIFY_SCHEMA = "handoff_qualify_v1"
DEFAULT_ROUNDS = 5
MOST_ROUNDS = 1_000
_ELSEWHERE = ("goal_not_found", "project_not_found", "agent_not_registered")  # of a place that finds another state


class Baseline(Value):
    """What the rounds must find again, for which receiver, as of when."""

    goal_id: str
    to_agent: str
    at: Instant
    state: str
    sequence: int
    digests: dict[str, str]
    recorded: Handoff | None  # None: the first reading is the baseline


class Reread(Protocol):
    """How one round reads: the `handoff_v1` document, or an error's, from one place."""

    def __call__(self, baseline: Baseline, place: str | None) -> Document: ...


class Round(Value):
    """What one reading found."""

    drift: tuple[str, ...]
    sequence: int | None
    error: str | None = None


def qualify_handoff(
    project: Project, question: HandoffQuestion, rounds: int, places: Sequence[str] = (), reread: Reread | None = None
) -> Document:
    """Read the surface `rounds` times, by turns from the project and from each of `places`, and compare.

    A round is a process of its own unless `reread` says otherwise. UsageError for a number out of range,
    WorkspaceMismatchError for a place from which another state is found.
    """
    if not 1 <= rounds <= MOST_ROUNDS:
        raise UsageError(f"{rounds} rounds are out of range", hint=f"--rounds is 1 to {MOST_ROUNDS}.")
    baseline = project.read(lambda snapshot: _baseline(project, snapshot, question))
    ask = reread if reread is not None else _in_new_process(project)
    turns = [None, *places]
    found = [_round(baseline, ask(baseline, turns[turn % len(turns)])) for turn in range(rounds)]
    return _document(baseline, found, len(turns))


def _baseline(project: Project, snapshot: Snapshot, question: HandoffQuestion) -> Baseline:
    packet = read_packet(project, snapshot, question)
    recorded = packet.recorded
    if recorded is not None and recorded.sequence == packet.surface.sequence:
        at, digests = recorded.created_at, dict(recorded.fields)
    else:
        at, digests, recorded = packet.surface.evaluated_at, field_digests(packet.surface.fields), None
    surface = packet.surface
    return Baseline(surface.goal_id, surface.to_agent, at, snapshot.state, surface.sequence, digests, recorded)


def _in_new_process(project: Project) -> Reread:
    from loopx.workspace.fresh import ask_fresh

    def reread(baseline: Baseline, place: str | None) -> Document:
        here = ("--project", project.location.state_dir) if place is None else ()
        who = ("--goal-id", baseline.goal_id, "--to", baseline.to_agent)
        at = ("--at", format_instant(baseline.at))
        return ask_fresh((*here, "handoff", "show", *who, *at), place or project.location.root)

    return reread


def _round(baseline: Baseline, document: Document) -> Round:
    """The drift of one reading; one that fails has lost everything."""
    if document["ok"] and document["state"] == baseline.state:
        handoff = document["handoff"]
        digests = field_digests({name: handoff[name] for name in FIELDS if name in handoff})
        return Round(drifted(baseline.digests, digests), handoff["state_sequence"])
    code = None if document["ok"] else str(document["error"]["code"])
    if code is None or code in _ELSEWHERE:
        raise WorkspaceMismatchError(
            "a named folder does not lead to this state",
            hint="Name a worktree of the same repository; `loopx where` in it tells which state it finds.",
        )
    return Round(FIELDS, None, code)


def _document(baseline: Baseline, found: Sequence[Round], places: int) -> Document:
    drifting = {name for one in found for name in one.drift}
    return {
        "schema_version": QUALIFY_SCHEMA,
        "ok": True,
        "goal_id": baseline.goal_id,
        "to": baseline.to_agent,
        "rounds": len(found),
        "distance": distance_of(one.drift for one in found),
        "drift": [name for name in FIELDS if name in drifting],
        "compared": list(FIELDS),
        "baseline": "recorded_handoff" if baseline.recorded is not None else "first_reading",
        "handoff_id": baseline.recorded.handoff_id if baseline.recorded is not None else None,
        "places": places,
        "evaluated_at": format_instant(baseline.at),
        "state_sequence": baseline.sequence,
        "state": baseline.state,
        "warnings": list(_warnings(baseline, found)),
    }


def _warnings(baseline: Baseline, found: Sequence[Round]) -> list[str]:
    moved = any(one.sequence not in (None, baseline.sequence) for one in found)
    told = [f"a reading failed: {code}" for code in dict.fromkeys(one.error for one in found if one.error)]
    return [*told, "something was recorded meanwhile, which may be the drift; measure again"] if moved else told
