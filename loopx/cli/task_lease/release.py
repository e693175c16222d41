"""`loopx task-lease release`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.lease import LeaseStep, release_lease
from loopx.cli.task_lease.step import lease_options
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb(
    "release",
    mutates=True,
    example="loopx task-lease release --lease-id lease_0123456789 --agent-id agent-a --expect-version 1",
)
@lease_options
def cli(invocation: Invocation, lease_id: str, expect_version: int) -> Document:
    """Give a lease back; its version stays used for ever."""
    step = LeaseStep(lease_id, expect_version)
    return release_lease(invocation.project(), invocation.call("lease_released"), step)
