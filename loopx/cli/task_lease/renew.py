"""`loopx task-lease renew`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.lease import LeaseStep, renew_lease
from loopx.cli.declare import DURATION, option
from loopx.cli.task_lease.step import lease_options
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb(
    "renew",
    mutates=True,
    example="loopx task-lease renew --lease-id lease_0123456789 --agent-id agent-a --expect-version 1",
)
@lease_options
@option("--ttl", type=DURATION, help="How long it lasts from now on; otherwise 15m, and never shorter than it was.")
def cli(invocation: Invocation, lease_id: str, expect_version: int, ttl: int | None) -> Document:
    """Keep a lease alive. A refusal tells that the work was settled, taken or has run out: stop then."""
    step = LeaseStep(lease_id, expect_version, ttl)
    return renew_lease(invocation.project(), invocation.call("lease_renewed"), step)
