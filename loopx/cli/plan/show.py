"""`loopx plan show`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.plan import show_plan
from loopx.cli.declare import argument, option
from loopx.cli.verb import verb
from loopx.core.name import normalise_name

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("show", subject=True, example="loopx plan show --agent-id agent-a")
@argument("plan_id", required=False, metavar="[ID]")
@option("--agent-id", metavar="ID", help="Whose newest plan is meant.")
def cli(invocation: Invocation, plan_id: str | None, agent_id: str | None) -> Document:
    """A plan by its id, or the newest one of an agent: its words, its answer and who gave it."""
    before = invocation.options.pop("agent_id", None)
    named = agent_id or before
    subject = normalise_name(named, what="agent id") if named is not None else None
    return show_plan(invocation.project(), invocation.goal_id, plan_id=plan_id, agent_id=subject)
