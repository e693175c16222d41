"""Where a todo comes from and what stands in for what, on the wire (W10)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.core.lineage import CHAIN_LIMIT

if TYPE_CHECKING:
    from loopx.core.lineage import Lineage

Document = dict[str, Any]


def lineage_row(lineage: Lineage) -> Document:
    """The chains of one todo, nearest first."""
    return {
        "todo_id": lineage.todo_id,
        "predecessor": lineage.predecessor,
        "ancestors": list(lineage.ancestors),
        "ancestors_truncated": lineage.ancestors_truncated,
        "successors": list(lineage.successors[:CHAIN_LIMIT]),
        "successors_total": len(lineage.successors),
        "supersedes": list(lineage.supersedes),
        "replaced_by": list(lineage.replaced_by),
    }
