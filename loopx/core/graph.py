"""The dependency graph: cycles are named by their path, diamonds are fine (design.md §4, S1.4)."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from loopx.core.errors import DependencyCycleError
from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence


class FaultKind(StrEnum):
    MISSING = "missing"  # an edge to a todo that does not exist
    SELF = "self"  # a todo that waits for itself
    CYCLE = "cycle"


class GraphFault(Value):
    """What is wrong, and the ids along which: an edge, or a cycle from a node back to itself."""

    kind: FaultKind
    path: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.kind}: {' → '.join(self.path)}"


def refuse_cycle(todo_id: str, dependency_id: str, dependencies_of: Callable[[str], Sequence[str]]) -> None:
    """DependencyCycleError, with the path, where `todo_id` waiting for `dependency_id` closes a cycle."""
    path = path_to(dependency_id, todo_id, dependencies_of)
    if path is None:
        return
    cycle = (todo_id, *path)
    raise DependencyCycleError(
        f"the dependency would close a cycle: {' → '.join(cycle)}",
        hint="Leave the edge out, or remove another one on this path.",
        path=list(cycle),
    )


def path_to(start: str, goal: str, dependencies_of: Callable[[str], Sequence[str]]) -> tuple[str, ...] | None:
    """The ids from `start` to `goal` along dependencies, or None; edges are asked for as they are needed."""
    came_from: dict[str, str] = {start: start}
    pending = [start]
    while pending:
        node = pending.pop()
        if node == goal:
            return _way_back(came_from, start, goal)
        for dependency in dependencies_of(node):
            if dependency not in came_from:
                came_from[dependency] = node
                pending.append(dependency)
    return None


def verify_graph(nodes: Collection[str], edges: Mapping[str, Sequence[str]]) -> list[GraphFault]:
    """Every missing node and self-dependency, and one cycle of each knot."""
    faults = list(_broken_edges(nodes, edges))
    sound = {
        node: [edge for edge in targets if edge != node and edge in nodes]
        for node, targets in edges.items()
        if node in nodes
    }
    return faults + [GraphFault(FaultKind.CYCLE, cycle) for cycle in _cycles(sound)]


def _broken_edges(nodes: Collection[str], edges: Mapping[str, Sequence[str]]) -> Iterator[GraphFault]:
    for node, targets in edges.items():
        for target in targets:
            if node == target:
                yield GraphFault(FaultKind.SELF, (node, node))
            elif target not in nodes or node not in nodes:
                yield GraphFault(FaultKind.MISSING, (node, target))


def _cycles(edges: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, ...]]:
    """Walk depth first without recursion; a step back onto the present path is a cycle."""
    finished: set[str] = set()
    for root in edges:
        path: dict[str, Iterator[str]] = {}
        if root not in finished:
            path[root] = iter(edges[root])
        while path:
            node = next(reversed(path))
            step = next(path[node], None)
            if step is None:
                path.popitem()
                finished.add(node)
            elif step in path:
                walked = list(path)
                yield (*walked[walked.index(step) :], step)
            elif step not in finished:
                path[step] = iter(edges.get(step, ()))


def _way_back(came_from: Mapping[str, str], start: str, goal: str) -> tuple[str, ...]:
    way = [goal]
    while way[-1] != start:
        way.append(came_from[way[-1]])
    return tuple(reversed(way))
