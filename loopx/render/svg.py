"""The work graph as one SVG picture: left to right, no script, nothing loaded from elsewhere.

Colours say how a todo stands, a diamond is a gate, and what is no dependency is dashed. A todo's text is
data: it is escaped, cut to its box, and whole in the title that a browser shows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.render.geometry import HEIGHT, MARGIN, WIDTH, planned
from loopx.render.width import fitted, harmless
from loopx.render.words import class_word, state_span

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from loopx.render.geometry import Arrow, Box

    Node = Mapping[str, Any]
    Edge = Mapping[str, str]

# In pixels.
_LEGEND, _LEGEND_WIDTH = 40, 840
_COLUMNS = 28  # of text that a box holds
_GATE_COLUMNS = 20  # of text that the middle of a diamond holds

# Fill and border by the word of the state.
_COLOURS = {
    "open": ("#dbeafe", "#1d4ed8"),
    "blocked": ("#fef3c7", "#b45309"),
    "deferred": ("#f3f4f6", "#6b7280"),
    "done": ("#dcfce7", "#15803d"),
    "failed": ("#fee2e2", "#b91c1c"),
    "superseded": ("#ffffff", "#9ca3af"),
}
# Colour, dashes and meaning by the kind of an edge.
_LINES = {
    "blocks": ("#374151", "", "blocks"),
    "followed_by": ("#15803d", "7 4", "followed by"),
    "replaced_by": ("#b91c1c", "3 3", "replaced by"),
    "frees": ("#7c3aed", "2 3", "frees"),
}
_INK, _QUIET = "#111827", "#4b5563"

_ESCAPES = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;", ord('"'): "&quot;", ord("'"): "&#39;"}
_NOT_XML = dict.fromkeys((0xFFFE, 0xFFFF), "\ufffd")  # the only stored characters that XML cannot hold


def draw_svg(nodes: Sequence[Node], edges: Sequence[Edge]) -> Iterator[str]:
    """The lines of the picture."""
    plan = planned([node["todo_id"] for node in nodes], edges)
    width = max(_LEGEND_WIDTH, plan.right + MARGIN)
    height = plan.bottom + MARGIN + _LEGEND
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    yield ' role="img" font-family="sans-serif" font-size="12">'
    yield f"<title>{len(nodes)} todos and what comes after what</title>"
    yield f'<rect width="{width}" height="{height}" fill="#ffffff"/>'
    yield from _arrow_heads()
    for arrow in plan.arrows:
        yield _line(arrow)
    for node in nodes:
        yield from _node(node, plan.boxes[node["todo_id"]])
    yield from _legend(height - _LEGEND // 2)
    yield "</svg>"


# --- edges -------------------------------------------------------------------------------


def _arrow_heads() -> Iterator[str]:
    yield "<defs>"
    for kind, (colour, _, _) in _LINES.items():
        yield (
            f'<marker id="{kind}" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
            f'<path d="M0 0L8 4L0 8z" fill="{colour}"/></marker>'
        )
    yield "</defs>"


def _line(arrow: Arrow) -> str:
    kind = arrow.edge["kind"]
    return f'<path d="{arrow.path}" {_stroke(kind)} marker-end="url(#{kind})"/>'


def _stroke(kind: str) -> str:
    colour, dashes, _ = _LINES[kind]
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'fill="none" stroke="{colour}" stroke-width="1.5"{dashed}'


# --- todos -------------------------------------------------------------------------------


def _node(node: Node, box: Box) -> Iterator[str]:
    state = state_span(node).text
    head = f"{node['todo_id']} {node['priority']}"
    holder = f" · {node['claimed_by']}" if node["claimed_by"] else ""
    standing = f"{state} {class_word(node['task_class'])}{holder}"
    yield "<g>"
    yield f"<title>{_escaped(f'{head} {standing}: ')}{_escaped(node['text'])}</title>"
    draw = _diamond if node["task_class"] == "user_gate" else _rectangle
    yield from draw(box, _COLOURS[state], head, standing, node["text"])
    yield "</g>"


def _rectangle(box: Box, colours: tuple[str, str], head: str, standing: str, text: str) -> Iterator[str]:
    size = f'x="{box.x}" y="{box.y}" width="{WIDTH}" height="{HEIGHT}" rx="6"'
    yield f"<rect {size} {_paint(colours)}/>"
    left = f'x="{box.x + 10}"'
    yield f'<text {left} y="{box.y + 19}" fill="{_INK}" font-weight="bold">{_fitted(head, _COLUMNS)}</text>'
    yield f'<text {left} y="{box.y + 36}" fill="{_QUIET}">{_fitted(standing, _COLUMNS)}</text>'
    yield f'<text {left} y="{box.y + 53}" fill="{_INK}">{_fitted(text, _COLUMNS)}</text>'


def _diamond(box: Box, colours: tuple[str, str], head: str, standing: str, text: str) -> Iterator[str]:
    x, right, bottom = box.x + WIDTH // 2, box.x + WIDTH, box.y + HEIGHT + 8
    top = box.y - 8
    yield f'<path d="M{box.x} {box.middle}L{x} {top}L{right} {box.middle}L{x} {bottom}z" {_paint(colours)}/>'
    middle = f'x="{x}" text-anchor="middle"'
    yield f'<text {middle} y="{box.y + 19}" fill="{_QUIET}">{_fitted(standing, _GATE_COLUMNS - 6)}</text>'
    yield f'<text {middle} y="{box.y + 36}" fill="{_INK}" font-weight="bold">{_fitted(head, _GATE_COLUMNS)}</text>'
    yield f'<text {middle} y="{box.y + 52}" fill="{_INK}">{_fitted(text, _GATE_COLUMNS)}</text>'


def _paint(colours: tuple[str, str]) -> str:
    return f'fill="{colours[0]}" stroke="{colours[1]}" stroke-width="1.5"'


def _fitted(text: str, columns: int) -> str:
    return _escaped(fitted(text, columns))


def _escaped(text: str) -> str:
    return harmless(text).translate(_NOT_XML).translate(_ESCAPES)


# --- legend ------------------------------------------------------------------------------


def _legend(y: int) -> Iterator[str]:
    x = MARGIN
    for state, colours in _COLOURS.items():
        yield f'<rect x="{x}" y="{y - 9}" width="12" height="12" rx="2" {_paint(colours)}/>'
        yield f'<text x="{x + 17}" y="{y + 1}" fill="{_QUIET}" font-size="11">{state}</text>'
        x += 28 + 6 * len(state)
    x += 12
    for kind, (_, _, meaning) in _LINES.items():
        yield f'<path d="M{x} {y - 3}L{x + 24} {y - 3}" {_stroke(kind)}/>'
        yield f'<text x="{x + 29}" y="{y + 1}" fill="{_QUIET}" font-size="11">{meaning}</text>'
        x += 42 + 6 * len(meaning)
