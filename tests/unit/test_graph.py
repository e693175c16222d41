"""The dependency graph against brute force, at size, and with its paths named."""

from __future__ import annotations

from itertools import pairwise, permutations
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopx.core.errors import DependencyCycleError
from loopx.core.graph import FaultKind, GraphFault, path_to, refuse_cycle, unmet_counts, verify_graph

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Edges = dict[str, list[str]]

NODES = "abcde"
graphs = st.dictionaries(st.sampled_from(NODES), st.lists(st.sampled_from(NODES), max_size=4), max_size=5)


def lookup(edges: Edges) -> Callable[[str], Sequence[str]]:
    return lambda node: edges.get(node, [])


def order_exists(edges: Edges) -> bool:
    """By brute force: some order of all nodes has every dependency before what waits for it."""
    return any(
        all(order.index(target) < order.index(node) for node, targets in edges.items() for target in targets)
        for order in permutations(NODES)
    )


def is_walk(edges: Edges, path: Sequence[str]) -> bool:
    return all(step in edges.get(node, []) for node, step in pairwise(path))


@given(graphs)
def test_a_graph_is_valid_exactly_where_an_order_of_work_exists(edges: Edges) -> None:
    assert (verify_graph(NODES, edges) == []) == order_exists(edges)


@given(graphs)
def test_every_named_fault_is_real(edges: Edges) -> None:
    for fault in verify_graph(NODES, edges):
        assert is_walk(edges, fault.path)
        assert fault.path[0] == fault.path[-1]
        if fault.kind is FaultKind.CYCLE:
            assert len(set(fault.path)) == len(fault.path) - 1 >= 2
            assert fault.path[0] == min(fault.path)
        else:
            assert fault.kind is FaultKind.SELF
            assert len(fault.path) == 2


@given(graphs, st.sampled_from(NODES), st.sampled_from(NODES))
def test_a_new_edge_is_refused_exactly_where_it_closes_a_cycle(edges: Edges, todo: str, dependency: str) -> None:
    if not order_exists(edges):
        return
    grown = {**edges, todo: [*edges.get(todo, []), dependency]}
    if order_exists(grown):
        refuse_cycle(todo, dependency, lookup(edges))
        return
    with pytest.raises(DependencyCycleError) as refusal:
        refuse_cycle(todo, dependency, lookup(edges))
    path = refusal.value.details["path"]
    assert isinstance(path, list)
    assert path[0] == path[-1] == todo
    assert is_walk(grown, path)
    assert " → ".join(path) in refusal.value.message


@given(graphs, st.sampled_from(NODES), st.sampled_from(NODES))
def test_a_found_path_is_a_shortest_one(edges: Edges, start: str, goal: str) -> None:
    distances = {start: 0}
    for _ in NODES:
        for node, distance in list(distances.items()):
            for target in edges.get(node, []):
                distances[target] = min(distances.get(target, 9), distance + 1)
    path = path_to(start, goal, lookup(edges))
    assert (path is None) == (goal not in distances)
    if path is not None:
        assert (path[0], path[-1]) == (start, goal)
        assert is_walk(edges, path)
        assert len(path) - 1 == distances[goal]


@given(graphs, st.sets(st.sampled_from(NODES)))
def test_unmet_counts_are_the_distinct_dependencies_that_are_not_met(edges: Edges, met: set[str]) -> None:
    assert unmet_counts(edges, met) == {node: len(set(targets) - met) for node, targets in edges.items()}


@pytest.mark.parametrize(
    ("edges", "faults"),
    [
        ({}, []),
        ({"d": ["b", "c"], "b": ["a"], "c": ["a"]}, []),
        ({"b": ["a", "a"]}, []),
        ({"a": ["a"]}, [GraphFault(FaultKind.SELF, ("a", "a"))]),
        ({"a": ["a", "a"]}, [GraphFault(FaultKind.SELF, ("a", "a"))]),
        ({"a": ["x"]}, [GraphFault(FaultKind.MISSING, ("a", "x"))]),
        ({"x": ["a"]}, [GraphFault(FaultKind.MISSING, ("x", "a"))]),
        ({"c": ["b"], "b": ["c"]}, [GraphFault(FaultKind.CYCLE, ("b", "c", "b"))]),
        ({"e": ["c"], "c": ["b"], "b": ["c"], "d": ["e"]}, [GraphFault(FaultKind.CYCLE, ("b", "c", "b"))]),
        (
            {"a": ["b"], "b": ["a"], "c": ["d"], "d": ["c"]},
            [GraphFault(FaultKind.CYCLE, ("a", "b", "a")), GraphFault(FaultKind.CYCLE, ("c", "d", "c"))],
        ),
        (
            {"a": ["a", "x", "b"], "b": ["a"]},
            [
                GraphFault(FaultKind.SELF, ("a", "a")),
                GraphFault(FaultKind.MISSING, ("a", "x")),
                GraphFault(FaultKind.CYCLE, ("a", "b", "a")),
            ],
        ),
    ],
)
def test_faults_are_listed_by_kind_with_their_path(edges: Edges, faults: list[GraphFault]) -> None:
    assert verify_graph(NODES, edges) == faults


def test_a_todo_cannot_wait_for_itself() -> None:
    with pytest.raises(DependencyCycleError, match="a → a"):
        refuse_cycle("a", "a", lookup({}))


def test_edges_are_asked_for_once_a_node_and_no_further_than_needed() -> None:
    asked: list[str] = []

    def dependencies_of(node: str) -> Sequence[str]:
        asked.append(node)
        return {"a": ["b", "c"], "b": ["d"], "c": ["d"], "d": ["e"], "e": ["f"]}.get(node, [])

    assert path_to("a", "e", dependencies_of) == ("a", "b", "d", "e")
    assert asked == ["a", "b", "c", "d"]


def test_a_long_cycle_is_named_by_its_ends() -> None:
    size = 5_000
    chain = {f"t{n}": [f"t{n + 1}"] for n in range(size)}
    with pytest.raises(DependencyCycleError) as refusal:
        refuse_cycle(f"t{size}", "t0", lookup(chain))
    path = refusal.value.details["path"]
    assert isinstance(path, list)
    assert len(path) == 20
    assert path[0] == path[-1] == f"t{size}"
    assert refusal.value.details["path_total"] == size + 2
    assert len(refusal.value.message) < 400


@pytest.mark.parametrize("closing", [False, True])
def test_a_chain_of_a_hundred_thousand_with_two_edges_each_is_verified(closing: bool) -> None:
    size = 100_000
    nodes = [f"t{n:06}" for n in range(size)]
    edges = {nodes[n]: [nodes[n - 1], nodes[n // 2]] for n in range(1, size)}
    if closing:
        edges[nodes[0]] = [nodes[-1]]
    faults = verify_graph(nodes, edges)
    assert [fault.kind for fault in faults] == ([FaultKind.CYCLE] if closing else [])
    assert all(len(str(fault)) < 400 for fault in faults)


def test_a_knot_in_which_every_todo_waits_for_the_first_is_verified() -> None:
    """Each edge back closes another cycle; naming them all would take the square of the size."""
    size = 100_000
    nodes = [f"t{n:06}" for n in range(size)]
    edges = {nodes[n]: [nodes[n + 1], nodes[0]] for n in range(size - 1)}
    edges[nodes[0]] = [nodes[1]]
    edges[nodes[-1]] = [nodes[0]]
    assert [fault.kind for fault in verify_graph(nodes, edges)] == [FaultKind.CYCLE]
