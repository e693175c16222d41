"""Lifecycle authority: a revocable grant over peers' claimed todos, never a rank (W4)."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from loopx.core.errors import ActionNotDelegatedError, AuthorityReasonRequiredError, NotClaimOwnerError
from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopx.core.actor import Actor
    from loopx.core.goal import Grant

OVERRIDE_MODE = "delegated_orchestration_override"
AUTHORITY_SOURCE = "coordination.todo_lifecycle_authority"


class LifecycleAction(StrEnum):
    COMPLETE = "complete"
    REASSIGN = "reassign"
    SUPERSEDE = "supersede"


class AuthorityUse(Value):
    """A grant that was needed and used; both fields go into the receipt (W4.3)."""

    action: LifecycleAction
    reason: str | None


def authorize_lifecycle(
    action: LifecycleAction,
    *,
    actor: Actor,
    claim_owner: str | None,
    grants: Iterable[Grant],
    reason: str | None,
) -> AuthorityUse | None:
    """None where the actor needs no grant, otherwise the use of the grant that allows the action.

    NotClaimOwnerError without a grant, ActionNotDelegatedError where it does not list the action,
    AuthorityReasonRequiredError where it asks for a reason (W4.1–W4.3). `claim_owner` is who holds the
    todo now; several grants of one agent add up, and one that asks for a reason is heard.
    """
    if claim_owner is None or claim_owner == actor.agent_id:
        return None
    facts = {"holder": claim_owner, "actor": actor.agent_id, "action": action.value}
    own = [grant for grant in grants if grant.agent_id == actor.agent_id]
    fitting = [grant for grant in own if action.value in grant.actions]
    if not own:
        raise NotClaimOwnerError(
            f"{actor.agent_id} may not {action} what {claim_owner} holds",
            hint=f"Ask {claim_owner}, or take other work.",
            **facts,
        )
    if not fitting:
        allowed = ", ".join(dict.fromkeys(name for grant in own for name in grant.actions)) or "nothing"
        raise ActionNotDelegatedError(
            f"the grant of {actor.agent_id} allows {allowed}, not {action}",
            hint="Only the user can widen a grant.",
            **facts,
        )
    stated = (reason or "").strip()
    if not stated and any(grant.requires_reason for grant in fitting):
        raise AuthorityReasonRequiredError(
            f"the grant of {actor.agent_id} needs a reason for each use",
            hint="Say why with --authority-reason.",
            **facts,
        )
    return AuthorityUse(action, stated or None)
