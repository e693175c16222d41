"""`loopx task-lease show`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.lease_view import show_lease
from loopx.cli.declare import argument, option
from loopx.cli.verb import verb
from loopx.core.errors import UsageError

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("show", example="loopx task-lease show --lease-id lease_0123456789")
@argument("leased", required=False, metavar="[ID]")
@option("--lease-id", metavar="ID", help="The lease.")
@option("--todo-id", metavar="ID", help="Or the todo that is leased, which may also stand alone.")
def cli(invocation: Invocation, leased: str | None, lease_id: str | None, todo_id: str | None) -> Document:
    """One lease, without its token."""
    if None not in (leased, todo_id):
        raise UsageError("the todo was named twice", hint="Give its id once.")
    return show_lease(invocation.project(), lease_id, leased or todo_id)
