"""The SVG picture: well-formed, whole by itself, and every text as data."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopx.render.drawing import draw
from tests.unit.test_render_drawing import NASTY, edge, node

SVG = "{http://www.w3.org/2000/svg}"
STATES = [
    ("open", None),
    ("blocked", None),
    ("deferred", None),
    ("done", "completed"),
    ("done", "failed"),
    ("deferred", "superseded"),
]


def picture(nodes: list[dict[str, Any]], edges: list[dict[str, str]]) -> ElementTree.Element:
    return ElementTree.fromstring(draw("svg", nodes, edges))


def todos(root: ElementTree.Element) -> list[ElementTree.Element]:
    return root.findall(f"{SVG}g")


def lines(root: ElementTree.Element) -> list[ElementTree.Element]:
    return [path for path in root.findall(f"{SVG}path") if "marker-end" in path.attrib]


def test_every_todo_and_every_edge_is_drawn_once() -> None:
    root = picture([node("a"), node("b"), node("c")], [edge("a", "b"), edge("b", "c", "followed_by")])
    assert len(todos(root)) == 3
    assert [path.get("marker-end") for path in lines(root)] == ["url(#blocks)", "url(#followed_by)"]


def test_dependencies_are_solid_and_lineage_is_dashed() -> None:
    kinds = ("blocks", "followed_by", "replaced_by", "frees")
    root = picture([node("a"), node("b")], [edge("a", "b", kind) for kind in kinds])
    assert [("stroke-dasharray" in path.attrib) for path in lines(root)] == [False, True, True, True]


def test_a_gate_is_a_diamond_and_other_work_a_box() -> None:
    gate, task = todos(picture([{**node("a"), "task_class": "user_gate"}, node("b")], []))
    assert (gate.find(f"{SVG}path") is None, gate.find(f"{SVG}rect") is None) == (False, True)
    assert (task.find(f"{SVG}path") is None, task.find(f"{SVG}rect") is None) == (True, False)


def test_each_state_has_colours_of_its_own() -> None:
    nodes = [{**node(f"n{at}"), "status": status, "closure": closure} for at, (status, closure) in enumerate(STATES)]
    painted = [box.find(f"{SVG}rect") for box in todos(picture(nodes, []))]
    assert len({(box.get("fill"), box.get("stroke")) for box in painted if box is not None}) == len(STATES)


@pytest.mark.parametrize("text", [NASTY, "</text><script>alert(1)</script>", "]]>", "&amp; &#0; &x;", "\ufffe\uffff"])
def test_a_text_stays_text(text: str) -> None:
    (box,) = todos(picture([node("a", text)], []))
    allowed = {f"{SVG}{tag}" for tag in ("g", "title", "rect", "text")}
    assert {element.tag for element in box.iter()} == allowed
    if text.isprintable() and "\n" not in text:
        assert text in (box.findtext(f"{SVG}title") or "")


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_any_text_that_can_be_stored_gives_well_formed_xml(text: str) -> None:
    assert len(todos(picture([node("a", text), {**node("b", text), "task_class": "user_gate"}], []))) == 2


def test_nothing_is_loaded_from_elsewhere_and_nothing_runs() -> None:
    root = picture([node("a"), node("b")], [edge("a", "b")])
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert tags <= {"svg", "title", "rect", "defs", "marker", "path", "g", "text"}
    names = {name.rpartition("}")[2] for element in root.iter() for name in element.attrib}
    assert not [name for name in names if name == "href" or name.startswith("on")]


def test_long_texts_are_cut_by_the_columns_they_take() -> None:
    (box,) = todos(picture([node("a", "日本語" * 40)], []))
    shown = [text.text or "" for text in box.findall(f"{SVG}text")][-1]
    assert shown.endswith("…")
    assert 26 <= 2 * len(shown.rstrip("…")) + 1 <= 28


def test_no_two_todos_overlap() -> None:
    names = [f"n{number:02}" for number in range(50)]
    edges = [edge(names[at // 3], names[at]) for at in range(1, 50) if at % 7]
    boxes = [box.find(f"{SVG}rect") for box in todos(picture([node(name) for name in names], edges))]
    assert len({(box.get("x"), box.get("y")) for box in boxes if box is not None}) == 50


def test_an_empty_graph_is_a_picture_too() -> None:
    assert todos(picture([], [])) == []
