"""`loopx quota spend-slot`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.place import workspace_at
from loopx.app.spend import Spend, spend_slot
from loopx.cli.context import working_directory
from loopx.cli.declare import AMOUNT, NUMBER, option
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb(
    "spend-slot",
    mutates=True,
    example="loopx quota spend-slot --agent-id agent-a --run-id run_0123456789 --tokens 1200",
)
@option("--run-id", metavar="ID", required=True, help="The validated work run.")
@option("--tokens", type=NUMBER, default=0, help="Tokens that it used.")
@option("--cost", type=AMOUNT, default=0.0, help="What it cost, in the owner's currency.")
@option("--seconds", type=AMOUNT, default=0.0, help="How long it took.")
@option("--workspace", metavar="PATH", help="Where it was done; otherwise the current folder.")
def cli(
    invocation: Invocation, run_id: str, tokens: int, cost: float, seconds: float, workspace: str | None
) -> Document:
    """Book one slot for a validated work run: once, and from the workspace that it was recorded in."""
    spend = Spend(run_id, tokens, cost, seconds)
    return spend_slot(
        invocation.project(),
        invocation.call("slot_spent"),
        spend,
        workspace_at(workspace or working_directory()),
    )
