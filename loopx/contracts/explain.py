"""The whole chain on the wire: every drop of a decision, every stage of one todo."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.core.decision.explain import is_runnable
from loopx.core.secret import masked_brief
from loopx.core.text import BRIEF_BYTES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from loopx.core.decision.explain import DropRow, StageResult

WHY_SCHEMA = "todo_why_v1"

Document = dict[str, Any]


def explain_document(rows: Sequence[DropRow], *, offset: int, limit: int) -> Document:
    """A page of the drops, with how many there are and where the next page starts."""
    end = offset + limit
    return {
        "drops": [_drop(row) for row in rows[offset:end]],
        "total": len(rows),
        "truncated": end < len(rows),
        "next_cursor": str(end) if end < len(rows) else None,
    }


def why_document(todo_id: str, results: list[StageResult], *, state: str) -> Document:
    """Every stage that the todo passes or fails."""
    return {
        "schema_version": WHY_SCHEMA,
        "ok": True,
        "todo_id": todo_id,
        "runnable": is_runnable(results),
        "stages": [_stage(result) for result in results],
        "state": state,
        "warnings": [],
    }


def _drop(row: DropRow) -> Document:
    return {
        "todo_id": row.todo_id,
        "stage": row.stage.value,
        "reason_code": row.reason_code.value,
        "facts": {name: _told(fact) for name, fact in row.facts.items()},
        "next_command": row.next_command,
    }


def _told(fact: object) -> object:
    """A fact as it may leave: `todo why` and `todo show` have the whole text."""
    if isinstance(fact, str):
        return masked_brief(fact, BRIEF_BYTES)
    return [_told(item) for item in fact] if isinstance(fact, list | tuple) else fact


def _stage(result: StageResult) -> Document:
    return {
        "stage": result.stage.value,
        "passed": result.passed,
        "reason_code": result.reason_code.value if result.reason_code else None,
        "facts": dict(result.facts or {}),
        "next_command": result.next_command,
    }
