"""Idempotency: a retry of an operation gets the first answer, another intent is refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from loopx import failpoint
from loopx.core.errors import OperationConflictError

if TYPE_CHECKING:
    from loopx.store.connection import Connection


def recorded_answer(db: Connection, operation_id: str, intent: str) -> dict[str, Any] | None:
    """The answer that this operation got first, or None; OperationConflictError for another intent."""
    sql = "SELECT intent, answer FROM operations WHERE operation_id = ?"
    row = db.execute(sql, (operation_id,)).fetchone()
    if row is None:
        return None
    if row[0] != intent:
        raise OperationConflictError(
            f"the operation id {operation_id!r} was used for another call",
            hint="Use a fresh --operation-id; repeat one only to retry the very same call.",
            operation_id=operation_id,
        )
    answer: dict[str, Any] = json.loads(row[1])
    return answer


def record_answer(db: Connection, operation_id: str, intent: str, answer: dict[str, Any], sequence: int) -> None:
    """Keep the answer for retries."""
    text = json.dumps(answer, ensure_ascii=False)
    db.execute("INSERT INTO operations VALUES (?,?,?,?)", (operation_id, intent, text, sequence))
    failpoint.reach("answer: kept")
