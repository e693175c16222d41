"""Merging two exports that came of one: by record and field, the same in whatever order it is done.

The rule (docs/decisions/0026-merge.md): no record is lost. A field that one side changed has that side's
value. Where both did, sets keep what both kept and gain what either gained, counters the larger number,
and of everything else closed work wins over open, then the later change, then the greater value; that is
told as a conflict. With the same base, merging is commutative, associative and idempotent: the value of a
field is a maximum over the sides that changed it.
"""

from __future__ import annotations

import json
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from loopx.core.graph import FaultKind, verify_graph
from loopx.core.text import tagged_priority, with_priority_tag
from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

Record = dict[str, Any]  # the JSON values of one exported record
Key = tuple[str, str]

TIMES = "field_times"  # field → when it was changed, where that is before the record's `updated_at`
_TODO = "todo"
_LIFE = "life"
# Fields that mean something only together are one: they come from one side, all of them.
_GROUPS: dict[str, dict[str, tuple[str, ...]]] = {
    _TODO: {
        _LIFE: (
            "role", "task_class", "status", "closure", "closed_at", "block_reason",
            "claimed_by", "claimed_at", "claim_expires_at", "evidence", "completion_rationale", "no_followup",
            "superseded_by", "resume_kind", "resume_ref", "resume_at",
            "decision_scope", "blocks_agent", "global_gate", "unblocks_todo_id",
            "verdict", "decided_at", "decided_by", "decision_note", "standing", "revoked_at",
            "next_due_at", "poll_every", "consecutive_no_change", "monitor_expires_at",
        ),
        "assignment": ("bound_agent", "excluded_agents"),
        "validation": ("validation_argv", "validation_timeout"),
    },
    "met": {"met": ("evidence", "met_at", "met_by", "todo_id")},
    "fact": {"fact": ("evidence", "recorded_at", "recorded_by")},
    "origin": {"origin": ("seen", "todo_id")},
}  # fmt: skip
_SETS = {
    _TODO: frozenset(
        ("acceptance", "blocked_by", "successors", "required_capabilities", "required_write_scopes",
         "required_decision_scopes")
    ),
    "goal": frozenset(("repositories", "write_scopes")),
    "agent": frozenset(("capabilities",)),
    "grant": frozenset(("actions",)),
    "material": frozenset(("required_for",)),
}  # fmt: skip
_LARGEST = frozenset(("version", "lease_version", "attempts", "updated_at"))
_LEAST = frozenset(("sequence", "created_at"))
_BESIDE = frozenset(("kind", "id", TIMES))
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True)


class Taken(StrEnum):
    """Whose value a conflict was settled with, until a person looks at it."""

    OURS = "ours"
    THEIRS = "theirs"
    BOTH = "both"  # the edges of the two sides together close a cycle


class Conflict(Value):
    """A field that both sides changed, each to something else, and the side whose value was taken."""

    kind: str
    record_id: str
    field: str
    taken: Taken


class Merged(Value):
    """The records of the merge, and what a person should look at."""

    records: dict[Key, Record]
    conflicts: list[Conflict]


def merge(base: Mapping[Key, Record], ours: Mapping[Key, Record], theirs: Mapping[Key, Record]) -> Merged:
    """The records of both sides, each merged with its other self by the rule."""
    merged = Merged({}, [])
    for key in dict.fromkeys((*base, *ours, *theirs)):
        here, there = ours.get(key), theirs.get(key)
        if here is None or there is None or here == there:
            merged.records[key] = dict(here or there or base[key])
        else:
            merged.records[key] = _Pair(base.get(key, {}), here, there, merged.conflicts).merged()
    merged.conflicts.extend(_cycles(merged.records))
    return merged


def _cycles(records: Mapping[Key, Record]) -> list[Conflict]:
    """The cycles that edges of the two sides close together; importing leaves out the edge that closes one."""
    edges = {record["id"]: record.get("blocked_by", ()) for record in records.values() if record["kind"] == _TODO}
    faults = verify_graph(edges, edges)
    return [
        Conflict(_TODO, fault.path[0], "blocked_by", Taken.BOTH) for fault in faults if fault.kind is FaultKind.CYCLE
    ]


class _Pair:
    """One record as both sides have it, and as it was."""

    def __init__(self, base: Record, ours: Record, theirs: Record, conflicts: list[Conflict]) -> None:
        self.base, self.ours, self.theirs = (_untagged(record) for record in (base, ours, theirs))
        self.kind = str(ours["kind"])
        self.conflicts = conflicts
        self.latest = max((_text(side, "updated_at") for side in (ours, theirs)), key=_comparable)
        self.times: dict[str, str] = {}

    def merged(self) -> Record:
        """The record with each field by its rule."""
        found: Record = {"kind": self.kind, "id": self.ours["id"]}
        for name, members in self._units().items():
            found |= self._unit(name, members)
        if self.times:
            found[TIMES] = dict(sorted(self.times.items()))
        return _tagged(found)

    def _units(self) -> dict[str, tuple[str, ...]]:
        """The fields that are decided one by one, and the groups that are decided whole."""
        groups = _GROUPS.get(self.kind, {})
        grouped = {member for members in groups.values() for member in members}
        names = sorted({*self.base, *self.ours, *self.theirs} - _BESIDE - grouped)
        return {**{name: (name,) for name in names}, **groups}

    def _unit(self, name: str, members: tuple[str, ...]) -> Record:
        base, ours, theirs = (_part(record, members) for record in (self.base, self.ours, self.theirs))
        if name in _LARGEST or name in _LEAST:
            return _extreme(name, ours, theirs)
        if name in _SETS.get(self.kind, ()) and all(
            isinstance(part.get(name, []), list) for part in (base, ours, theirs)
        ):
            values = _merged_set(*(part.get(name, []) for part in (base, ours, theirs)))
            return {name: values} if values else {}
        return self._latest(name, base, ours, theirs)

    def _latest(self, name: str, base: Record, ours: Record, theirs: Record) -> Record:
        """Of the sides that changed it the greater."""
        before = _ENCODER.encode(base)
        sides = [_Side.of(name, ours, self.ours), _Side.of(name, theirs, self.theirs)]
        changed = [side for side in sides if side.spelling != before]
        if not changed:
            return base
        winner = max(changed, key=lambda side: (side.is_closed, _comparable(side.stamp), side.spelling))
        if _needs_a_person(changed):
            taken = Taken.OURS if winner.spelling == sides[0].spelling else Taken.THEIRS
            self.conflicts.append(Conflict(self.kind, self.ours["id"], name, taken))
        if winner.stamp != self.latest:
            self.times[name] = winner.stamp
        return winner.part


class _Side(Value):
    """What one side says of a unit, and when it was written."""

    part: Record
    spelling: str
    stamp: str
    is_closed: bool

    @classmethod
    def of(cls, name: str, part: Record, record: Record) -> _Side:
        """The part of a record; it is as old as the record where nothing says that it is older."""
        times = record.get(TIMES)
        stamp = _text(times, name) if isinstance(times, dict) else ""
        return cls(part, _ENCODER.encode(part), stamp or _text(record, "updated_at"), part.get("closure") is not None)


def _needs_a_person(changed: list[_Side]) -> bool:
    """Both say something else, and neither wins by its meaning, as closed work does over open."""
    if len(changed) < 2 or changed[0].spelling == changed[1].spelling:
        return False
    return changed[0].is_closed is changed[1].is_closed


def _extreme(name: str, ours: Record, theirs: Record) -> Record:
    values = [part[name] for part in (ours, theirs) if name in part]
    if not values:
        return {}
    return {name: (max if name in _LARGEST else min)(values, key=_comparable)}


def _part(record: Mapping[str, Any], members: tuple[str, ...]) -> Record:
    return {name: record[name] for name in members if name in record}


def _text(record: Mapping[str, Any], name: str) -> str:
    value = record.get(name)
    return value if isinstance(value, str) else ""


def _merged_set(base: list[Any], ours: list[Any], theirs: list[Any]) -> list[Any]:
    """What all keep, and what any has that the base has not, each once; a new order alone is no change."""
    before, here, there = ({_ENCODER.encode(value): value for value in side} for side in (base, ours, theirs))
    if list(here) == list(there):
        return list(here.values())
    if here.keys() == before.keys():
        return list((before if there.keys() == before.keys() else there).values())
    if there.keys() == before.keys():
        return list(here.values())
    kept = [value for spelling, value in before.items() if spelling in here and spelling in there]
    new = {**here, **there}
    return kept + [new[spelling] for spelling in sorted(new.keys() - before.keys())]


def _comparable(value: Any) -> tuple[Any, ...]:
    """Something by which any two JSON values are ordered, instants by their time."""
    if isinstance(value, str):
        whole, _, fraction = value.removesuffix("Z").partition(".")
        return (1, whole, fraction)
    return (0, value) if isinstance(value, int | float) else (2, _ENCODER.encode(value))


def _untagged(record: Mapping[str, Any]) -> Record:
    """The record with a text that does not say the priority, so that both are changed by themselves (W1.5)."""
    text = record.get("text")
    if record.get("kind") != _TODO or not isinstance(text, str) or tagged_priority(text) is None:
        return dict(record)
    return {**record, "text": with_priority_tag(text, 0)}


def _tagged(record: Record) -> Record:
    text, priority = record.get("text"), record.get("priority")
    if record.get("kind") != _TODO or not isinstance(text, str) or not isinstance(priority, int):
        return record
    return {**record, "text": with_priority_tag(text, priority)}
