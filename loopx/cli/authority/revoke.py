"""`loopx authority revoke`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.authority import revoke_authority
from loopx.cli.declare import ChoiceType, option
from loopx.cli.subject import subject_option
from loopx.cli.verb import verb
from loopx.core.authority import LifecycleAction

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("revoke", mutates=True, subject=True, example="loopx authority revoke --goal-id ship --agent-id agent-a")
@subject_option("The agent that loses it.")
@option("--action", type=ChoiceType(LifecycleAction), multiple=True, help="Only this action.")
def cli(invocation: Invocation, agent_id: str, action: tuple[str, ...]) -> Document:
    """Take an agent's grant back, whole or some actions of it."""
    call = invocation.call("authority_revoked", needs_active_goal=False)
    actions = tuple(LifecycleAction(name).value for name in action)
    return revoke_authority(invocation.project(), call, agent_id, actions)
