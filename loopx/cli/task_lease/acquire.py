"""`loopx task-lease acquire`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.lease import DEFAULT_TTL, LeaseRequest, acquire_lease
from loopx.cli.declare import DURATION, option
from loopx.cli.verb import todo_id_option, verb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb(
    "acquire",
    mutates=True,
    example="loopx task-lease acquire --todo-id todo_0123456789 --agent-id agent-a --ttl 15m",
)
@todo_id_option
@option("--ttl", type=DURATION, default=DEFAULT_TTL, help="How long it lasts (15m).")
@option("--write-scope", multiple=True, metavar="GLOB", help="Paths it writes; otherwise the todo's own.")
@option("--task-repository", metavar="git:HOST/OWNER/REPO", help="Where; otherwise the todo's own.")
@option("--pool", metavar="NAME", help="A pool of which it takes one place.")
def cli(
    invocation: Invocation,
    todo_id: str,
    ttl: int,
    write_scope: tuple[str, ...],
    task_repository: str | None,
    pool: str | None,
) -> Document:
    """Take a todo for a time. The answer holds the token that later writes need."""
    request = LeaseRequest(todo_id, ttl, write_scope, task_repository, pool)
    return acquire_lease(invocation.project(), invocation.call("lease_acquired"), request)
