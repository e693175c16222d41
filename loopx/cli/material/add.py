"""`loopx material add`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.material import add_material
from loopx.cli.declare import TEXT, argument, option
from loopx.cli.verb import verb
from loopx.core.errors import UsageError
from loopx.core.goal import Material

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb(
    "add",
    mutates=True,
    example="loopx material add api-spec --path docs/api.md --relation specification --required-for agent-b",
)
@argument("material_id", metavar="ID")
@option("--path", metavar="PATH", help="A file of the project, or git:REVISION:PATH.")
@option("--url", metavar="URL", help="An https address; it is never fetched.")
@option("--relation", type=TEXT, help="What it is to the goal, such as specification.")
@option("--purpose", type=TEXT, help="What it is read for.")
@option("--required-for", multiple=True, metavar="AGENT", help="An agent that must have read it.")
def cli(
    invocation: Invocation,
    material_id: str,
    path: str | None,
    url: str | None,
    relation: str | None,
    purpose: str | None,
    required_for: tuple[str, ...],
) -> Document:
    """Declare a material in the registry by its place; its text is never kept."""
    place = path if path is not None else url
    if place is None or (path is not None and url is not None):
        raise UsageError("a material has one place", hint="Give either --path or --url.")
    material = Material(material_id, place, relation, purpose, required_for)
    return add_material(invocation.project(), invocation.call("material_added"), material)
