"""`loopx store migrate`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.store_move import move
from loopx.cli.declare import option
from loopx.cli.output import write_note
from loopx.cli.verb import verb
from loopx.core.errors import UsageError

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("migrate", mutates=True, example="loopx store migrate --to postgresql://loopx@db.example/loopx --dry-run")
@option("--to", metavar="URL", help="The server; otherwise the one that LOOPX_DATABASE_URL names.")
def cli(invocation: Invocation, to: str | None) -> Document:
    """Move the state to a PostgreSQL server: copied and compared whole, or not at all."""
    url = to or invocation.settings.database_url
    if url is None:
        raise UsageError("no server is named", hint="Name it with --to, or in LOOPX_DATABASE_URL.")
    invocation.settings = invocation.settings._replace(database_url=None)  # the project to be moved is in files
    call = invocation.call("state_moved", needs_active_goal=False)
    return move(invocation.project(), call, url, progress=write_note if not invocation.is_json else _silent)


def _silent(_table: str) -> None:
    """JSON mode has one document and nothing beside it."""
