"""A goal of the registry as records of an export, and back: one record each for what is merged by itself."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from loopx.contracts.export_field import (
    FieldError,
    list_field,
    member_field,
    name_field,
    read_field,
    repository_field,
    text_field,
    whole_field,
    write_scope_field,
)
from loopx.core.authority import LifecycleAction
from loopx.core.goal import Agent, Boundary, Criterion, Goal, GoalState, Grant, Material, Pool, QuotaPolicy
from loopx.core.secret import masked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from loopx.contracts.export_file import Record

PARTS = ("agent", "grant", "pool", "material", "criterion")  # kinds of records that belong to a goal
_LARGEST = 2**53 - 1  # what every JSON reader keeps


def export_goal(goal: Goal) -> Iterator[Record]:
    """The records of a goal; its authority sources stay, since they name what only this machine has."""
    quota = dict(zip(goal.quota._fields, goal.quota, strict=True))
    yield _filled(
        kind="goal",
        id=goal.goal_id,
        objective=masked(goal.objective),
        state=goal.state.value,
        repositories=list(goal.boundary.repositories),
        write_scopes=list(goal.boundary.write_scopes),
        **quota,
    )
    for agent in goal.agents:
        yield _part("agent", goal, agent.agent_id, capabilities=list(agent.capabilities), retired=agent.retired)
    for grant in goal.grants:
        yield _part("grant", goal, grant.agent_id, actions=list(grant.actions), requires_reason=grant.requires_reason)
    for pool in goal.pools:
        yield _part("pool", goal, pool.name, capacity=pool.capacity)
    for criterion in goal.acceptance:
        yield _part("criterion", goal, criterion.id, text=masked(criterion.text))
    for material in goal.materials:
        yield _part(
            "material",
            goal,
            material.id,
            path=masked(material.path),
            relation=material.relation,
            purpose=masked(material.purpose) if material.purpose else None,
            required_for=list(material.required_for),
        )


def goal_of_records(record: Mapping[str, Any], parts: Sequence[Mapping[str, Any]]) -> Goal:
    """The goal of its own record and of its parts; FieldError for what a registry could not hold."""
    goal_id = read_field("id", partial(name_field, what="goal id"), record["id"])
    of_kind: dict[str, list[Mapping[str, Any]]] = {kind: [] for kind in PARTS}
    for part in parts:
        of_kind[part["kind"]].append(part)
    return Goal(
        goal_id=goal_id,
        objective=_get(record, "objective", text_field),
        state=GoalState(_get(record, "state", partial(member_field, of=GoalState))),
        acceptance=tuple(Criterion(_name(part), _get(part, "text", text_field)) for part in of_kind["criterion"]),
        boundary=Boundary(
            _texts(record, "repositories", repository_field), _texts(record, "write_scopes", write_scope_field)
        ),
        quota=_quota(record),
        agents=tuple(_agent(part) for part in of_kind["agent"]),
        grants=tuple(_grant(part) for part in of_kind["grant"]),
        pools=tuple(
            Pool(_name(part), _get(part, "capacity", partial(whole_field, least=1))) for part in of_kind["pool"]
        ),
        materials=tuple(_material(part) for part in of_kind["material"]),
    )


def goal_id_of(record: Mapping[str, Any]) -> str:
    """The goal that a record of `PARTS` belongs to."""
    return str(record["id"]).split(" ", 1)[0]


def _part(kind: str, goal: Goal, name: str, **fields: Any) -> Record:
    return _filled(kind=kind, id=f"{goal.goal_id} {name}", **fields)


def _filled(**fields: Any) -> Record:
    return {name: value for name, value in fields.items() if value not in (None, [], False)}


def _get(record: Mapping[str, Any], name: str, read: Callable[[Any], Any]) -> Any:
    return read_field(name, read, record.get(name))


def _texts(record: Mapping[str, Any], name: str, read: Callable[[Any], str]) -> tuple[str, ...]:
    return tuple(read_field(name, partial(list_field, of=read), record.get(name, [])))


def _name(part: Mapping[str, Any]) -> str:
    return str(read_field("id", name_field, str(part["id"]).partition(" ")[2]))


def _bool(record: Mapping[str, Any], name: str) -> bool:
    value = record.get(name, False)
    if not isinstance(value, bool):
        raise FieldError(f"{name} is neither true nor false")
    return value


def _agent(part: Mapping[str, Any]) -> Agent:
    return Agent(_name(part), _texts(part, "capabilities", name_field), _bool(part, "retired"))


def _grant(part: Mapping[str, Any]) -> Grant:
    actions = _texts(part, "actions", partial(member_field, of=LifecycleAction))
    return Grant(_name(part), actions, _bool(part, "requires_reason"))


def _material(part: Mapping[str, Any]) -> Material:
    return Material(
        _name(part),
        _get(part, "path", text_field),
        _optional(part, "relation", text_field),
        _optional(part, "purpose", text_field),
        _texts(part, "required_for", name_field),
    )


def _quota(record: Mapping[str, Any]) -> QuotaPolicy:
    whole = {name: _optional(record, name, whole_field) for name in ("slots", "tokens", "window_us")}
    return QuotaPolicy(cost=_optional(record, "cost", _amount), **whole)


def _optional(record: Mapping[str, Any], name: str, read: Callable[[Any], Any]) -> Any:
    return None if record.get(name) is None else _get(record, name, read)


def _amount(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _LARGEST:
        raise FieldError("is no amount")
    return value
