"""Which authority a changed goal gives that it did not give before."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loopx.core.goal import Goal, Grant


def widened_grants(before: Goal | None, after: Goal) -> tuple[Grant, ...]:
    """The grants of `after` that allow an action, or an action without its reason, that `before` did not."""
    old = {grant.agent_id: grant for grant in before.grants} if before is not None else {}
    return tuple(grant for grant in after.grants if _is_wider(grant, old.get(grant.agent_id)))


def _is_wider(grant: Grant, old: Grant | None) -> bool:
    if old is None:
        return True
    return not set(grant.actions) <= set(old.actions) or (old.requires_reason and not grant.requires_reason)
