"""`loopx handoff create`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.handoff import create_handoff
from loopx.cli.handoff.ends import agent_name, to_option
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("create", mutates=True, example="loopx handoff create --goal-id ship --agent-id agent-a --to agent-b")
@to_option
def cli(invocation: Invocation, to: str | None) -> Document:
    """Record a handoff with the digest of what is handed over. It claims, leases and starts nothing."""
    return create_handoff(invocation.project(), invocation.call("handoff_created"), agent_name(to))
