"""`loopx material ack`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.material import acknowledge
from loopx.cli.declare import argument, option
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("ack", mutates=True, example="loopx material ack api-spec --agent-id agent-b")
@argument("material_id", metavar="ID")
@option("--revision", metavar="REV", help="What was read; refused where a file is at another one. A URL needs it.")
def cli(invocation: Invocation, material_id: str, revision: str | None) -> Document:
    """Record that an agent has read the present revision; of a URL, which revision that is."""
    return acknowledge(invocation.project(), invocation.call("material_acknowledged"), material_id, revision)
