"""`loopx task-lease transfer`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.lease import LeaseStep, transfer_lease
from loopx.cli.declare import DURATION, option
from loopx.cli.task_lease.step import lease_options
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb(
    "transfer",
    mutates=True,
    example="loopx task-lease transfer --lease-id lease_0123456789 --agent-id agent-a --expect-version 1 --to agent-b",
)
@lease_options
@option("--to", metavar="ID", required=True, help="The agent that shall hold it.")
@option("--ttl", type=DURATION, help="How long it lasts from now on; otherwise the time that is left.")
def cli(invocation: Invocation, lease_id: str, expect_version: int, to: str, ttl: int | None) -> Document:
    """Hand a lease to another agent, who gets its token by renewing it."""
    step = LeaseStep(lease_id, expect_version, ttl, to)
    return transfer_lease(invocation.project(), invocation.call("lease_transferred"), step)
