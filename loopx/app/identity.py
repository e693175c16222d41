"""Who acts, and in which role: one answer for every edge (cli.md, S2.3, S3.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.actor import Actor, ActorKind
from loopx.core.errors import IdentityMismatchError, ReasonRequiredError, RoleNotAllowedError, UsageError
from loopx.core.name import normalise_name

if TYPE_CHECKING:
    from loopx.settings import Settings


def acting(settings: Settings, named: str | None, *, as_user: bool = False, reason: str | None = None) -> Actor:
    """The agent that was named, over the environment's, over nobody, which means a person.

    IdentityMismatchError where the identity is fixed and another agent is named (S2.3), or where an agent's
    session would act as the user; ReasonRequiredError for acting as the user without saying why.
    """
    agent_id = acting_agent(settings, named)
    if as_user:
        _refuse_false_user(settings, agent_id, reason)
    return Actor(ActorKind.USER, None) if agent_id is None else Actor(ActorKind.AGENT, agent_id)


def acting_agent(settings: Settings, named: str | None) -> str | None:
    """The agent in its one spelling, or None for a person. IdentityMismatchError, UsageError."""
    own = settings.agent_id and normalise_name(settings.agent_id, what="agent id of LOOPX_AGENT_ID")
    agent_id = normalise_name(named, what="agent id") if named is not None else own
    if settings.identity_fixed and (own is None or agent_id != own):
        whose = own or "nobody (LOOPX_AGENT_ID is not set)"
        raise IdentityMismatchError(
            f"this process is {whose}; it cannot act as {agent_id or 'a person'}",
            hint="Leave the agent option out." if own else "Set LOOPX_AGENT_ID beside LOOPX_IDENTITY=fixed.",
            agent_id=agent_id,
        )
    return agent_id or None


def acting_role(settings: Settings, named: str | None) -> str | None:
    """The role that was named, over the environment's. RoleNotAllowedError where a fixed identity would change it."""
    if settings.identity_fixed and named not in (None, settings.role):
        raise RoleNotAllowedError(
            f"this process is {settings.role or 'without a role'} and its identity is fixed; it cannot be {named}",
            hint="Leave the role out.",
            role=named,
        )
    return named or settings.role


def _refuse_false_user(settings: Settings, agent_id: str | None, reason: str | None) -> None:
    if settings.agent_id is not None:
        raise IdentityMismatchError(
            f"a session of {settings.agent_id} cannot act as the user",
            hint="Ask the user to run the command.",
        )
    if agent_id is not None:
        raise UsageError("--as-user and an agent contradict each other", hint="Leave one of them out.")
    if not reason:
        raise ReasonRequiredError("--as-user needs a reason", hint="Say why with --reason.")
