"""Before every write the leases are brought to its instant, as events of their own (S2.1, S2.6).

Two things can have happened since the last write: leases have run out, or the clock was set back.
Both are stored even where the verb itself is then refused, so that an end once seen is final.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.lifecycle import is_claim_tied
from loopx.store.events import append_system_event
from loopx.store.todos import select_todos

if TYPE_CHECKING:
    from loopx.core.instant import Duration
    from loopx.core.todo import Todo
    from loopx.store.transaction import Transaction

_LEASED = "WHERE t.sequence IN (SELECT sequence FROM todos WHERE lease_id IS NOT NULL) ORDER BY t.sequence"
# By the index on the ends of leases: asked of the joined rows in order, it would visit every todo.
_EXPIRED = (
    "WHERE t.sequence IN (SELECT sequence FROM todos WHERE lease_id IS NOT NULL AND lease_expires_at <= ?)"
    " ORDER BY t.sequence"
)


def settle_leases(tx: Transaction) -> bool:
    """Let no lease gain time by a clock that was set back, and free every todo whose lease has ended.

    Whether anything was stored. What is left of a lease never grows from one write to the next, unless its
    holder renews it (docs/decisions/0010-clock.md).
    """
    back = tx.opening.last.at - tx.now if tx.opening.last else 0
    if back <= 0:
        return tx.opening.lease_ended and _free_expired(tx)
    return any((_follow_clock_back(tx, back), _free_expired(tx)))


def _follow_clock_back(tx: Transaction, back: Duration) -> bool:
    """Move every lease back by as much as the clock has gone behind the last event."""
    for todo in select_todos(tx.db, _LEASED, ()):
        tx.save(todo, _moved_back(todo, back))
    return _recorded(tx, "clock_set_back")


def _moved_back(todo: Todo, by: Duration) -> Todo:
    lease, claim = todo.lease, todo.claim
    assert lease is not None
    moved = lease._replace(acquired_at=lease.acquired_at - by, expires_at=lease.expires_at - by)
    if claim is not None and is_claim_tied(todo):
        claim = claim._replace(expires_at=moved.expires_at)
    return todo._replace(lease=moved, claim=claim)


def _free_expired(tx: Transaction) -> bool:
    """Free every todo whose lease has ended and remember who lost it (W5.3)."""
    for todo in select_todos(tx.db, _EXPIRED, (tx.now,)):
        _settle(tx, todo)
    return _recorded(tx, "leases_expired")


def _settle(tx: Transaction, todo: Todo) -> None:
    lease = todo.lease
    assert lease is not None
    claim = None if is_claim_tied(todo) else todo.claim
    after = todo._replace(lease=None, claim=claim, attempts=todo.attempts + 1, last_holder=lease.holder)
    tx.save(todo, after)
    tx.record_lapse(todo.todo_id, lease.holder)


def _recorded(tx: Transaction, action: str) -> bool:
    """Make what has changed so far an event, about the one todo where it is only one."""
    if not tx.changes:
        return False
    moved = list(tx.changes["todos"])
    append_system_event(tx, action, tx.changes, todo_id=moved[0] if len(moved) == 1 else None)
    tx.changes = {}
    return True
