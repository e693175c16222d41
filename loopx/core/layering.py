"""Where the nodes of a graph stand in a picture that is read from left to right.

What comes after something stands to its right, as near to the height of what it comes after as there is
room, and long edges are led round the nodes between. What nothing leads to or from stands in a block
below. The same graph gives the same picture.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Edge = tuple[str, str]  # from what comes first to what comes after it
Bend = tuple[str, str, int]  # where an edge passes a layer: it takes a place there as a node does
Point = str | Bend
Neighbours = dict[Point, list[Point]]

_LEAST_BLOCK = 3  # columns of the block of loose nodes, however narrow the rest is
_BENDS_A_NODE = 4  # with more than these the picture is a thicket, and leading edges round costs too much


class Place(Value):
    """A column, counted from the left, and a row, counted from the top."""

    layer: int
    row: int


class Layout(Value):
    """A place for every node, no two alike, and the free places through which a long edge goes."""

    places: dict[str, Place]
    ways: dict[Edge, tuple[Place, ...]]


def layered(nodes: Sequence[str], edges: Iterable[Edge]) -> Layout:
    """An edge leads to the right, save one that closes a cycle. Edges to or from other nodes are ignored."""
    links = _Links(nodes)
    for start, end in dict.fromkeys(edges):
        if start in links.before and end in links.before and start != end:
            links.add(start, end)
    depth = _pulled(depths([node for node in nodes if links.is_bound(node)], links), links)
    bends = _bends(depth, links)
    points = _placed(depth | {bend: bend[2] for bend in bends}, links.bent(bends))
    places = {node: points[node] for node in nodes if node in points}
    ways: dict[Edge, tuple[Place, ...]] = {}
    for bend in bends:
        edge = bend[:2]
        ways[edge] = (*ways.get(edge, ()), points[bend])
    return Layout(places | _block([node for node in nodes if node not in places], points), ways)


class _Links:
    """Who comes before and after whom."""

    __slots__ = ("after", "before")

    def __init__(self, points: Iterable[Point]) -> None:
        self.before: Neighbours = {point: [] for point in points}
        self.after: Neighbours = {point: [] for point in self.before}

    def add(self, start: Point, end: Point) -> None:
        self.before[end].append(start)
        self.after[start].append(end)

    def is_bound(self, point: Point) -> bool:
        return bool(self.before[point] or self.after[point])

    def bent(self, bends: Sequence[Bend]) -> _Links:
        """The same with every edge that has bends led from one to the next."""
        last: dict[tuple[Point, Point], Point] = {}
        links = _Links((*self.before, *bends))
        for bend in bends:
            links.add(last.get(bend[:2], bend[0]), bend)
            last[bend[:2]] = bend
        for end, starts in self.before.items():
            for start in starts:
                links.add(last.get((start, end), start), end)
        return links


# --- layers ------------------------------------------------------------------------------


def depths(nodes: Sequence[Point], links: _Links) -> dict[Point, int]:
    """For each node the length of the longest way to it; the edges that close a cycle do not count.

    Where only cycles are left, the first of their nodes in the given order is taken to come first.
    """
    unmet = {node: len(links.before[node]) for node in nodes}
    depth: dict[Point, int] = {}
    for node in (*(node for node in nodes if not unmet[node]), *nodes):
        if node not in depth:
            _settle(node, links, unmet, depth)
    return depth


def _settle(first: Point, links: _Links, unmet: dict[Point, int], depth: dict[Point, int]) -> None:
    """Give a depth to the node, and to all that with it have nothing left to come after."""
    free = [first]
    for node in free:  # grows while it is walked
        depth[node] = max((depth[start] + 1 for start in links.before[node] if start in depth), default=0)
        for end in links.after[node]:
            unmet[end] -= 1
            if not unmet[end] and end not in depth:
                free.append(end)


def _pulled(depth: dict[Point, int], links: _Links) -> dict[Point, int]:
    """What comes after nothing stands just before the first that comes after it."""
    return {
        node: own if links.before[node] else min(depth[end] for end in links.after[node]) - 1
        for node, own in depth.items()
    }


def _bends(depth: Mapping[Point, int], links: _Links) -> list[Bend]:
    """Where long edges pass a layer; none where there would be too many."""
    most = _BENDS_A_NODE * len(depth)
    bends: list[Bend] = []
    for end in depth:
        for start in links.before[end]:
            if len(bends) + depth[end] - depth[start] > most:
                return []
            bends += ((str(start), str(end), layer) for layer in range(depth[start] + 1, depth[end]))
    return bends


# --- rows --------------------------------------------------------------------------------


def _placed(depth: Mapping[Point, int], links: _Links) -> dict[Point, Place]:
    """Rows by three looks: at what comes before, at what comes after, and at what comes before again."""
    layers: list[list[Point]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for point, layer in depth.items():
        layers[layer].append(point)
    row = {point: at for points in layers for at, point in enumerate(points)}
    for neighbours, order in ((links.before, layers), (links.after, layers[::-1]), (links.before, layers)):
        for points in order:
            row.update(_ranked_rows(points, neighbours, row))
    top = min(row.values(), default=0)
    return {point: Place(layer, row[point] - top) for point, layer in depth.items()}


def _ranked_rows(points: Sequence[Point], neighbours: Neighbours, row: Mapping[Point, int]) -> dict[Point, int]:
    wanted = {point: _mean([row[near] for near in neighbours[point]], row[point]) for point in points}
    ranked = sorted(points, key=lambda point: (wanted[point], row[point]))
    return dict(zip(ranked, _apart([wanted[point] for point in ranked]), strict=True))


def _mean(rows: Sequence[int], otherwise: int) -> float:
    return sum(rows) / len(rows) if rows else otherwise


def _apart(wanted: Sequence[float]) -> list[int]:
    """Rising rows: each is pushed down where the wanted one is taken, then all are moved up by the mean push."""
    rows: list[int] = []
    for height in wanted:
        rows.append(max(round(height), rows[-1] + 1) if rows else round(height))
    push = sum(row - height for row, height in zip(rows, wanted, strict=True))
    up = round(push / len(rows)) if rows else 0
    return [row - up for row in rows]


def _block(loose: Sequence[str], points: Mapping[Point, Place]) -> dict[str, Place]:
    """The loose nodes in reading order, under all others."""
    top = max((place.row + 1 for place in points.values()), default=0)
    width = max((place.layer + 1 for place in points.values()), default=0)
    columns = max(width, _LEAST_BLOCK)
    return {node: Place(at % columns, top + at // columns) for at, node in enumerate(loose)}
