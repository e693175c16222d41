"""The project itself: where its state is, and that it was made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.render.block import Block, Span, Tone, facts, line
from loopx.render.fallback import shown
from loopx.render.goal import goal_blocks
from loopx.render.receipt import receipt_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Document = Mapping[str, Any]


def where(document: Document) -> Iterator[Block]:
    """`where`."""
    database, system = document["database"], document["filesystem"]
    yield facts(
        [
            ("state", Span(document["state_dir"], Tone.STRONG)),
            ("found by", document["found_by"]),
            ("project", document["root"]),
            ("registry", document["registry"]),
            ("database", database["path"] + ("" if database["exists"] else " (made by the first write)")),
            ("schema", str(database["schema"])),
            ("file system", f"{system['type'] or 'unknown'}{'' if system['writable'] else ', read-only'}"),
            ("versions", shown(document["versions"])),
            ("state id", document["state"]),
        ]
    )


def initialised(document: Document) -> Iterator[Block]:
    """`init`."""
    yield line(Span("The project has its state folder.", Tone.GOOD))
    for goal in document["goals"]:
        yield from goal_blocks(goal)
    yield from receipt_blocks(document)


def moved(document: Document) -> Iterator[Block]:
    """`store migrate`."""
    told = "The state can be moved to " if document.get("dry_run") else "The state was moved to "
    yield line(Span(told, Tone.GOOD), document["address"])
    yield facts([("rows, compared", str(document["rows"])), ("up to event", str(document["events"]))])
