"""Materials on the wire: references and states, never bodies; in a handoff, ids and counts alone (W11.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.core.errors import UsageError
from loopx.core.material import MaterialState, parse_reference
from loopx.core.secret import masked, masked_brief
from loopx.core.text import BRIEF_BYTES

if TYPE_CHECKING:
    from loopx.core.goal import Material
    from loopx.core.material import MaterialFrontier, Sighting, Standing

Document = dict[str, Any]


def material_document(material: Material, sighting: Sighting) -> Document:
    """A declared material and what looking at it gave."""
    return {
        "material_id": material.id,
        "kind": _kind(material),
        "reference": masked(material.path),
        "relation": material.relation,
        "purpose": material.purpose,
        "required_for": list(material.required_for),
        "revision": sighting.revision,
        "fault": sighting.fault.value if sighting.fault else None,
        "why": sighting.why,
    }


def _kind(material: Material) -> str | None:
    """The kind of reference; None for one that a hand edit has made unusable."""
    try:
        return parse_reference(material.path).kind.value
    except UsageError:
        return None


def standing_document(standing: Standing, next_command: str | None) -> Document:
    """How an agent stands to one material that it must have read."""
    return {
        "material_id": standing.material.id,
        "state": standing.state.value,
        "reference": masked(standing.material.path),
        "relation": standing.material.relation,
        "purpose": standing.material.purpose,
        "revision": standing.revision,
        "read_revision": standing.read,
        "next_command": next_command,
    }


def frontier_document(frontier: MaterialFrontier) -> Document:
    """The projection of a handoff: counts, at most four references, and whether there are more."""
    return {
        "required_count": frontier.required,
        **{f"{state}_count": frontier.counts[state] for state in MaterialState},
        "material_refs": [
            {
                "material_id": ref.material_id,
                "relation": ref.relation and masked_brief(ref.relation, BRIEF_BYTES),
                "purpose": ref.purpose and masked_brief(ref.purpose, BRIEF_BYTES),
            }
            for ref in frontier.refs
        ],
        "material_refs_truncated": frontier.is_truncated,
    }
