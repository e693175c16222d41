"""Places of a picture: to the right of what comes first, no two alike, the same every time."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from loopx.core.layering import Place, layered

NAMES = [f"n{number}" for number in range(9)]
ANY_EDGES = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from([*NAMES, "elsewhere"])), max_size=30)


def forward(edges: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The edges, each turned so that it leads to the later name: no cycle is left."""
    return [(min(edge), max(edge)) for edge in edges if "elsewhere" not in edge and edge[0] != edge[1]]


def test_a_chain_is_a_straight_line() -> None:
    layout = layered(["a", "b", "c"], [("a", "b"), ("b", "c")])
    assert layout.places == {"a": Place(0, 0), "b": Place(1, 0), "c": Place(2, 0)}


def test_the_longest_way_counts_and_the_short_one_is_led_round() -> None:
    layout = layered(["a", "b", "c"], [("a", "b"), ("b", "c"), ("a", "c")])
    assert [layout.places[name].layer for name in "abc"] == [0, 1, 2]
    (bend,) = layout.ways["a", "c"]
    assert bend.layer == 1
    assert bend not in layout.places.values()


def test_what_comes_after_nothing_stands_just_before_what_it_leads_to() -> None:
    layout = layered(["a", "b", "c", "gate"], [("a", "b"), ("b", "c"), ("gate", "c")])
    assert layout.places["gate"].layer == 1


def test_loose_nodes_stand_in_a_block_below_the_rest() -> None:
    layout = layered(["a", "x", "b", "y", "z", "w"], [("a", "b")])
    lowest = max(layout.places[name].row for name in "ab")
    assert [layout.places[name] for name in "xyzw"] == [
        Place(0, lowest + 1),
        Place(1, lowest + 1),
        Place(2, lowest + 1),
        Place(0, lowest + 2),
    ]


@given(ANY_EDGES)
def test_every_node_has_a_place_of_its_own_whatever_the_edges(edges: list[tuple[str, str]]) -> None:
    layout = layered(NAMES, edges)
    bends = [place for way in layout.ways.values() for place in way]
    taken = [*layout.places.values(), *bends]
    assert sorted(layout.places) == NAMES
    assert len(set(taken)) == len(taken)
    assert all(place.layer >= 0 and place.row >= 0 for place in taken)


@given(ANY_EDGES)
def test_without_a_cycle_every_edge_leads_right_through_each_layer_between(edges: list[tuple[str, str]]) -> None:
    layout = layered(NAMES, forward(edges))
    for start, end in forward(edges):
        way = [layout.places[start], *layout.ways.get((start, end), ()), layout.places[end]]
        assert all(after.layer == before.layer + 1 for before, after in pairwise(way))


@given(ANY_EDGES)
def test_the_same_graph_gives_the_same_picture(edges: list[tuple[str, str]]) -> None:
    assert layered(NAMES, edges) == layered(NAMES, edges)


def test_a_cycle_is_drawn_from_the_first_of_its_nodes() -> None:
    layout = layered(["a", "b", "c"], [("a", "b"), ("b", "c"), ("c", "a")])
    assert [layout.places[name].layer for name in "abc"] == [0, 1, 2]


def test_a_thicket_and_a_long_chain_need_neither_deep_stack_nor_endless_bends() -> None:
    names = [f"n{number:05}" for number in range(3_000)]
    chain = list(pairwise(names))
    layout = layered(names, [*chain, *((names[0], name) for name in names[2:])])
    assert layout.places[names[-1]].layer == len(names) - 1
    assert layout.ways == {}, "four and a half million bends help nobody"


def test_an_empty_graph_has_an_empty_layout() -> None:
    assert layered([], []) == ({}, {})
