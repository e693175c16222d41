"""`loopx todo claim-next`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.claim_next import Wish, claim_next
from loopx.app.lease import DEFAULT_TTL
from loopx.cli.context import working_directory
from loopx.cli.declare import DURATION, option
from loopx.cli.typed import capability_names
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb(
    "claim-next",
    mutates=True,
    example="loopx todo claim-next --goal-id ship --agent-id agent-a --lease-ttl 15m",
)
@option("--lease-ttl", type=DURATION, default=DEFAULT_TTL, help="How long the lease lasts (15m).")
@option("--available-capability", multiple=True, metavar="NAME", help="What this worker can do.")
@option("--workspace", metavar="PATH", help="Where it would work; otherwise the current folder.")
def cli(
    invocation: Invocation, lease_ttl: int, available_capability: tuple[str, ...], workspace: str | None
) -> Document:
    """Claim the first ready todo, with a lease and its token, so that exactly one worker gets it."""
    wish = Wish(lease_ttl, capability_names(available_capability), workspace or working_directory())
    return claim_next(invocation.project(), invocation.call("todo_claimed_next"), wish)
