"""Leases whose time is over are put back by the next write, as an event of their own (S2.1, S2.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.lifecycle import is_claim_tied
from loopx.store.events import append_system_event
from loopx.store.todos import select_todos

if TYPE_CHECKING:
    from loopx.core.todo import Todo
    from loopx.store.transaction import Transaction

_EXPIRED = "WHERE t.lease_id IS NOT NULL AND t.lease_expires_at <= ? ORDER BY t.sequence"


def settle_expired_leases(tx: Transaction) -> None:
    """Free every todo whose lease has ended and remember who lost it (W5.3)."""
    expired = select_todos(tx.db, _EXPIRED, (tx.now,))
    if not expired:
        return
    for todo in expired:
        _settle(tx, todo)
    todo_id = expired[0].todo_id if len(expired) == 1 else None
    append_system_event(tx, "leases_expired", tx.changes, todo_id=todo_id)
    tx.changes = {}


def _settle(tx: Transaction, todo: Todo) -> None:
    lease = todo.lease
    assert lease is not None
    claim = None if is_claim_tied(todo) else todo.claim
    after = todo._replace(lease=None, claim=claim, attempts=todo.attempts + 1, last_holder=lease.holder)
    tx.save(todo, after)
    tx.record_lapse(todo.todo_id, lease.holder)
