"""The worked example as a story: what happens, the command, and what its answer says."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from loopx.render.block import Block, Gap, Line, Span, Tone

if TYPE_CHECKING:
    from collections.abc import Iterator

_INDENT = "      "


def told(document: dict[str, Any]) -> Iterator[Block]:
    """Each step: the sentence, the command, and the places of the answer that tell the story."""
    for step in document["steps"]:
        yield Line((Span(f"{step['step']:>3}.  ", Tone.QUIET), Span(step["story"])))
        yield Line((Span(f"{_INDENT}$ {step['command']}", Tone.STRONG),))
        for place, value in step["shown"].items():
            yield Line((Span(f"{_INDENT}  {place.rpartition('.')[2]}: ", Tone.QUIET), Span(_shown(value), Tone.GOOD)))
        yield Gap()
    yield Line((Span("That was the whole loop. Start your own with `loopx init`.", Tone.STRONG),))


def _shown(value: Any) -> str:
    """A value as a reader sees it: the texts and ids of rows, not their every key."""
    if isinstance(value, list):
        return ", ".join(_shown(row) for row in value) or "none"
    if isinstance(value, dict) and "todo_id" in value:
        return f"{value['todo_id']} {value.get('text') or value.get('decision_scope') or ''}".rstrip()
    if isinstance(value, dict):
        return ", ".join(f"{name} {_shown(part)}" for name, part in value.items() if part is not None)
    return value if isinstance(value, str) else json.dumps(value)
