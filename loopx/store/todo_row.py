"""The columns of `todos` and how a row becomes a value."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from loopx.contracts.record import FACTS, LIST_FIELDS, ROUTE_FIELDS, route_of, todo_of_facts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopx.core.todo import Route, Todo

COLUMNS = FACTS
DERIVED = ("unmet", "broken")
SELECT = f"SELECT {', '.join(f't.{name}' for name in (*COLUMNS, *DERIVED))}, r.identity"
FROM = "FROM todos t JOIN routes r USING (route_id)"

_LISTS = tuple(COLUMNS.index(name) for name in LIST_FIELDS)
_NO_LIST = "[]"
_LIST = json.JSONEncoder(ensure_ascii=False).encode  # `json.dumps` would make an encoder for every value
_IDENTITY = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode

SqlValue = str | int | float | bytes | None


def sql_value(value: Any) -> SqlValue:
    """What a column holds of a record's value: lists are JSON."""
    if not isinstance(value, list):
        return value  # type: ignore[no-any-return]
    return _LIST(value) if value else _NO_LIST


def route_identity(route: Route) -> str:
    """The canonical text by which equal routes are one group."""
    return _IDENTITY(tuple(route))


@lru_cache(maxsize=1024)
def route_of_identity(identity: str) -> Route:
    """The route that a group's identity spells."""
    goal_id, task_class, *rest = json.loads(identity)
    return route_of({"goal_id": goal_id, "task_class": task_class, **dict(zip(ROUTE_FIELDS, rest, strict=True))})


def todo_of_row(
    row: tuple[Any, ...],
    *,
    blocked_by: Iterable[str] = (),
    successors: Iterable[str] = (),
    predecessors: Iterable[str] = (),
) -> Todo:
    """The todo of a row of `SELECT`; its edges come from their own tables."""
    *facts, unmet, broken, identity = row
    for place in _LISTS:
        if facts[place] is not None:
            facts[place] = json.loads(facts[place]) if facts[place] != _NO_LIST else ()
    return todo_of_facts(
        facts,
        route=route_of_identity(identity),
        unmet=unmet,
        broken=broken,
        blocked_by=tuple(blocked_by),
        successors=tuple(successors),
        predecessors=tuple(predecessors),
    )
