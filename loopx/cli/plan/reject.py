"""`loopx plan reject`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.plan import reject_plan
from loopx.cli.declare import TEXT, argument, option
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("reject", mutates=True, example="loopx plan reject plan_0123456789 --agent-id agent-lead")
@argument("plan_id", metavar="ID")
@option("--note", type=TEXT, help="What the answer adds; kept with the plan.")
def cli(invocation: Invocation, plan_id: str, note: str | None) -> Document:
    """Keep the agent from starting work until another plan of its is approved."""
    return reject_plan(invocation.project(), invocation.call("plan_rejected"), plan_id, note)
