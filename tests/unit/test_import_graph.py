"""Edges of imported sources: what cannot be is left out and told, and the rest is acyclic and in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from loopx.core.foreign.record import ForeignRecord, ForeignState
from loopx.core.graph import verify_graph
from loopx.core.import_graph import Waits, waits_of

if TYPE_CHECKING:
    from collections.abc import Mapping


def waits(edges: Mapping[str, tuple[str, ...]], known: tuple[str, ...] = ()) -> Waits:
    return waits_of(
        [ForeignRecord(name, name, depends_on=targets) for name, targets in edges.items()], known, nested=False
    )


def codes(found: Waits) -> list[str]:
    return [note.reason_code for note in found.notes]


def test_edges_to_nothing_and_to_itself_are_left_out_and_told() -> None:
    found = waits({"a": ("b", "gone", "a", "b")} | {"b": ()})
    assert found.of == [("b",), ()]
    assert codes(found) == ["dependency_dangling", "dependency_self"]


def test_an_edge_to_what_an_earlier_import_brought_is_sound() -> None:
    assert waits({"a": ("before",)}, known=("before",)).of == [("before",)]


def test_what_was_dropped_holds_nobody_and_needs_no_word() -> None:
    records = [ForeignRecord("a", "a", depends_on=("t",)), ForeignRecord("t", "t", ForeignState.DROPPED)]
    found = waits_of(records, (), nested=False)
    assert (found.of, found.notes) == ([(), ()], [])


def test_closed_work_waits_for_nothing() -> None:
    records = [ForeignRecord("a", "a", ForeignState.DONE, depends_on=("b",)), ForeignRecord("b", "b")]
    assert waits_of(records, (), nested=False).of == [(), ()]


def test_a_cycle_loses_one_edge_and_is_told_with_its_path() -> None:
    found = waits({"a": ("b",), "b": ("c",), "c": ("a",)})
    assert sum(map(len, found.of)) == 2
    (note,) = found.notes
    assert note.reason_code == "dependency_cycle"
    assert "c → a → b → c" in note.message


def test_a_part_that_names_its_whole_as_a_dependency_closes_a_cycle() -> None:
    records = [ForeignRecord("whole", "w"), ForeignRecord("part", "p", parent="whole", depends_on=("whole",))]
    found = waits_of(records, (), nested=True)
    assert codes(found) == ["dependency_cycle"]


def test_diamonds_are_fine() -> None:
    assert waits({"a": ("b", "c"), "b": ("d",), "c": ("d",), "d": ()}).notes == []


def test_a_chain_of_a_hundred_thousand_and_its_closing_edge_are_no_special_case() -> None:
    count = 100_000
    edges = {str(n): (str(n + 1),) for n in range(count)} | {str(count): ("0",)}
    found = waits(edges)
    assert codes(found) == ["dependency_cycle"]
    assert len(found.order) == count + 1
    assert len(found.notes[0].message) < 1_000


names = st.sampled_from("abcdef")


@given(st.dictionaries(names, st.lists(names, max_size=4).map(tuple), max_size=6))
def test_whatever_the_edges_are_the_rest_is_a_valid_graph_in_order(edges: dict[str, tuple[str, ...]]) -> None:
    found = waits(edges)
    left = dict(zip(edges, found.of, strict=True))
    assert verify_graph(edges, left) == []
    places = list(edges)
    assert sorted(found.order) == list(range(len(edges)))
    done: set[str] = set()
    for place in found.order:
        assert set(left[places[place]]) <= done
        done.add(places[place])
    asked = sum(len(set(targets)) for targets in edges.values())
    assert len(found.notes) == asked - sum(map(len, left.values()))
