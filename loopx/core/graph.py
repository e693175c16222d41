"""The dependency graph: cycles are named by their path, diamonds are fine (design.md §4, S1.4).

Nothing here recurses or walks an edge more than a few times, so a chain of 100,000 todos is no
special case. A dependency named twice counts once, at its first place.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from loopx.core.errors import DependencyCycleError
from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence

_SHOWN = 20  # ids of a path that a message names, and an id list of an answer holds
_CUT = "…"


class FaultKind(StrEnum):
    MISSING = "missing"  # an edge from or to a todo that does not exist
    SELF = "self"  # a todo that waits for itself
    CYCLE = "cycle"


class GraphFault(Value):
    """What is wrong, and the ids along which: an edge, or a cycle from a node back to itself."""

    kind: FaultKind
    path: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.kind}: {arrows(self.path)}"


def refuse_cycle(todo_id: str, dependency_id: str, dependencies_of: Callable[[str], Sequence[str]]) -> None:
    """DependencyCycleError, with the path, where `todo_id` waiting for `dependency_id` closes a cycle."""
    path = path_to(dependency_id, todo_id, dependencies_of)
    if path is None:
        return
    cycle = (todo_id, *path)
    raise DependencyCycleError(
        f"the dependency would close a cycle: {arrows(cycle)}",
        hint="Leave the edge out, or remove another one on this path.",
        path=list(_abridged(cycle)),
        path_total=len(cycle),
    )


def path_to(start: str, goal: str, dependencies_of: Callable[[str], Sequence[str]]) -> tuple[str, ...] | None:
    """A shortest way from `start` to `goal` along dependencies, or None.

    Edges are asked for once a node and only as far as needed, so a store need not load its graph.
    """
    came_from: dict[str, str] = {start: start}
    reached = [start]
    for node in reached:  # grows while it is walked
        if node == goal:
            return _way_back(came_from, start, goal)
        for dependency in dependencies_of(node):
            if dependency not in came_from:
                came_from[dependency] = node
                reached.append(dependency)
    return None


def verify_graph(nodes: Collection[str], edges: Mapping[str, Sequence[str]]) -> list[GraphFault]:
    """Every missing node and self-dependency, and cycles such that each todo held by one leads to one named.

    An empty list says that the graph is valid. Cycles that share todos may show one after the other,
    as they are mended.
    """
    known = frozenset(nodes)
    faults: list[GraphFault] = []
    sound: dict[str, list[str]] = {}
    for node, targets in edges.items():
        sound[node] = []
        for target in dict.fromkeys(targets):
            fault = _fault_of(node, target, known)
            if fault is None:
                sound[node].append(target)
            else:
                faults.append(fault)
    return faults + [GraphFault(FaultKind.CYCLE, cycle) for cycle in _cycles(sound)]


def unmet_counts(edges: Mapping[str, Iterable[str]], met: Container[str]) -> dict[str, int]:
    """For each todo, how many distinct dependencies are not met; it is ready at 0."""
    return {node: sum(target not in met for target in dict.fromkeys(targets)) for node, targets in edges.items()}


def _fault_of(node: str, target: str, known: Container[str]) -> GraphFault | None:
    if node == target:
        return GraphFault(FaultKind.SELF, (node, target))
    if node not in known or target not in known:
        return GraphFault(FaultKind.MISSING, (node, target))
    return None


def _cycles(edges: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, ...]]:
    """From each node that is stuck follow its first dependency that is stuck too, until one comes again."""
    stuck = _stuck(edges)
    step = {
        node: next(target for target in targets if target in stuck) for node, targets in edges.items() if node in stuck
    }
    seen: set[str] = set()
    for start in step:
        walk: list[str] = []
        node = start
        while node not in seen:
            seen.add(node)
            walk.append(node)
            node = step[node]
        if node in walk:
            yield _closed(walk[walk.index(node) :])


def _stuck(edges: Mapping[str, Sequence[str]]) -> set[str]:
    """The nodes that remain when again and again those without an open dependency are taken away."""
    unmet = {node: len(targets) for node, targets in edges.items()}
    waiting: dict[str, list[str]] = {}
    for node, targets in edges.items():
        for target in targets:
            waiting.setdefault(target, []).append(node)
    free = [node for node in {**unmet, **waiting} if not unmet.get(node)]
    for node in free:  # grows while it is walked
        for waiter in waiting.get(node, ()):
            unmet[waiter] -= 1
            if not unmet[waiter]:
                free.append(waiter)
    return {node for node, number in unmet.items() if number}


def _closed(cycle: list[str]) -> tuple[str, ...]:
    """The cycle from its least id back to it: the same answer wherever the walk came in."""
    at = cycle.index(min(cycle))
    return (*cycle[at:], *cycle[:at], cycle[at])


def _way_back(came_from: Mapping[str, str], start: str, goal: str) -> tuple[str, ...]:
    way = [goal]
    while way[-1] != start:
        way.append(came_from[way[-1]])
    return tuple(reversed(way))


def arrows(path: Sequence[str]) -> str:
    """The path in one line, its middle left out where it is long."""
    return " → ".join(_abridged(path))


def _abridged(path: Sequence[str]) -> Sequence[str]:
    half = _SHOWN // 2
    return path if len(path) <= _SHOWN else (*path[:half], _CUT, *path[-half + 1 :])
