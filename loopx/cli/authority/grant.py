"""`loopx authority grant`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.authority import grant_authority
from loopx.cli.declare import ChoiceType, flag, option
from loopx.cli.subject import subject_option
from loopx.cli.verb import verb
from loopx.core.authority import LifecycleAction

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb(
    "grant",
    mutates=True,
    subject=True,
    example="loopx authority grant --goal-id ship --agent-id agent-a --action complete --requires-reason",
)
@subject_option("The agent that gets the grant.")
@option(
    "--action",
    type=ChoiceType(LifecycleAction),
    multiple=True,
    required=True,
    help="What it may do to peers' work.",
)
@flag("--requires-reason", help="Each use must say why.")
def cli(invocation: Invocation, agent_id: str, action: tuple[str, ...], requires_reason: bool) -> Document:
    """Give an agent exactly this grant over peers' claimed todos; a former one is replaced."""
    call = invocation.call("authority_granted", needs_active_goal=False)
    actions = tuple(LifecycleAction(name).value for name in action)
    return grant_authority(invocation.project(), call, agent_id, actions, requires_reason=requires_reason)
