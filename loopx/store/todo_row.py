"""The columns of `todos` and how a row becomes a value."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from loopx.contracts.record import LIST_FIELDS, ROUTE_FIELDS, Record, route_of, todo_of
from loopx.core.todo import Route, Todo

if TYPE_CHECKING:
    from collections.abc import Iterable

COLUMNS = (
    "todo_id", "sequence", "goal_id", "task_class", "role", "status", "closure", "priority", "text",
    "action_kind", "target_capability", "continuation_policy",
    "claimed_by", "claimed_at", "claim_expires_at",
    "lease_id", "lease_holder", "lease_acquired_at", "lease_expires_at", "claim_token", "lease_version",
    "lease_repository", "lease_write_scopes", "lease_pool",
    "block_reason", "resume_kind", "resume_ref", "resume_at",
    "decision_scope", "blocks_agent", "global_gate", "unblocks_todo_id",
    "verdict", "decided_at", "decided_by", "decision_note", "standing", "revoked_at",
    "next_due_at", "poll_every", "consecutive_no_change", "monitor_expires_at",
    "acceptance", "validation_argv", "validation_timeout", "evidence", "completion_rationale", "no_followup",
    "superseded_by", "attempts", "last_holder", "created_at", "updated_at", "closed_at", "version",
)  # fmt: skip
DERIVED = ("unmet", "broken")
SELECT = f"SELECT {', '.join(f't.{name}' for name in (*COLUMNS, *DERIVED))}, r.identity"
FROM = "FROM todos t JOIN routes r USING (route_id)"

_WIDTH = len(COLUMNS)
_LIST = json.JSONEncoder(ensure_ascii=False).encode  # `json.dumps` would make an encoder for every value
_IDENTITY = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode

SqlValue = str | int | float | bytes | None


def sql_value(value: Any) -> SqlValue:
    """What a column holds of a record's value: lists are JSON."""
    return _LIST(value) if isinstance(value, list) else value


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
    record: Record = dict(zip(COLUMNS, row[:_WIDTH], strict=True))
    for name in LIST_FIELDS:
        if record[name] is not None:
            record[name] = json.loads(record[name])
    record["blocked_by"] = tuple(blocked_by)
    record["successors"] = tuple(successors)
    return todo_of(
        record,
        route=route_of_identity(row[-1]),
        unmet=row[_WIDTH],
        broken=row[_WIDTH + 1],
        predecessors=tuple(predecessors),
    )
