"""`loopx task-lease show`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.lease_view import show_lease
from loopx.cli.declare import option
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("show", example="loopx task-lease show --lease-id lease_0123456789")
@option("--lease-id", metavar="ID", help="The lease.")
@option("--todo-id", metavar="ID", help="Or the todo that is leased.")
def cli(invocation: Invocation, lease_id: str | None, todo_id: str | None) -> Document:
    """One lease, without its token."""
    return show_lease(invocation.project(), lease_id, todo_id)
