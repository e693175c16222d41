"""`loopx plan approve`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.plan import approve_plan
from loopx.cli.declare import TEXT, argument, option
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("approve", mutates=True, example="loopx plan approve plan_0123456789 --agent-id agent-lead")
@argument("plan_id", metavar="ID")
@option("--note", type=TEXT, help="What the answer adds; kept with the plan.")
def cli(invocation: Invocation, plan_id: str, note: str | None) -> Document:
    """Let the agent start work again; its worker is told before its next task."""
    return approve_plan(invocation.project(), invocation.call("plan_approved"), plan_id, note)
