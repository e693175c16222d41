"""Where the boxes and the arrows of a picture of the work graph lie, in pixels, from left to right."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from loopx.core.layering import layered
from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from loopx.core.layering import Place

WIDTH, HEIGHT = 216, 64  # of a todo
_GAP_X, _GAP_Y = 72, 20
MARGIN = 24


class Box(Value):
    """Where a todo is drawn: the left upper corner."""

    x: int
    y: int

    @property
    def middle(self) -> int:
        return self.y + HEIGHT // 2


class Arrow(Value):
    """An edge and the path that draws it, as SVG spells one."""

    edge: Mapping[str, str]
    path: str


class Plan(Value):
    """A box for every todo, an arrow for every edge, and the right and lower ends of all."""

    boxes: dict[str, Box]
    arrows: tuple[Arrow, ...]
    right: int
    bottom: int


def planned(todo_ids: Sequence[str], edges: Sequence[Mapping[str, str]]) -> Plan:
    """The plan of a graph; both ends of every edge are among the todos. The same graph gives the same plan."""
    layout = layered(todo_ids, [(edge["from"], edge["to"]) for edge in edges])
    boxes = {todo_id: _box(place) for todo_id, place in layout.places.items()}
    arrows = []
    for edge in edges:
        ends = edge["from"], edge["to"]
        way = [boxes[ends[0]], *map(_box, layout.ways.get(ends, ())), boxes[ends[1]]]
        arrows.append(Arrow(edge, _path(way)))
    right = max((box.x + WIDTH for box in boxes.values()), default=0)
    bottom = max((box.y + HEIGHT for box in boxes.values()), default=0)
    return Plan(boxes, tuple(arrows), right, bottom)


def _box(place: Place) -> Box:
    return Box(MARGIN + place.layer * (WIDTH + _GAP_X), MARGIN + place.row * (HEIGHT + _GAP_Y))


def _path(boxes: Sequence[Box]) -> str:
    """From the right side of what comes first to the left side of what comes after it, straight through bends."""
    steps = [f"M{boxes[0].x + WIDTH} {boxes[0].middle}"]
    for start, end in pairwise(boxes):
        steps += (_curve(start, end), f"H{end.x + WIDTH}")
    return "".join(steps[:-1])


def _curve(start: Box, end: Box) -> str:
    left, right = start.x + WIDTH, end.x
    bend = max(_GAP_X // 2, (right - left) // 2)
    return f"C{left + bend} {start.middle} {right - bend} {end.middle} {right} {end.middle}"
