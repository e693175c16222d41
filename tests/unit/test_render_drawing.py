"""Drawings of the graph: every todo once, every text as data."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopx.render.drawing import draw

NASTY = 'a "b" <c> [d] `e` ; {f} | #1; \\" %% end\nnew\x1b[0m'


def node(name: str, text: str = "text") -> dict[str, Any]:
    return {
        "todo_id": name,
        "status": "open",
        "closure": None,
        "task_class": "advancement_task",
        "priority": "P2",
        "claimed_by": None,
        "text": text,
    }


def edge(before: str, after: str, kind: str = "blocks") -> dict[str, str]:
    return {"from": before, "to": after, "kind": kind}


def test_what_waits_hangs_below_what_it_waits_for() -> None:
    nodes = [node("a"), node("b"), node("c"), node("d")]
    edges = [edge("a", "c"), edge("b", "c"), edge("c", "d", "followed_by")]
    assert draw("text", nodes, edges).split("\n") == [
        "a      P2  open task  text",
        "  c    P2  open task  text  (after b)",
        "    d  P2  open task  text  (follows it)",
        "b      P2  open task  text",
    ]


NAMES = [f"n{number}" for number in range(7)]
KINDS = ("blocks", "followed_by", "replaced_by", "frees")
EDGES = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES), st.sampled_from(KINDS)).filter(lambda e: e[0] != e[1])
)


@given(EDGES)
def test_every_todo_is_drawn_once_even_in_a_cycle_of_lineage(edges: list[tuple[str, str, str]]) -> None:
    drawn = draw("text", [node(name) for name in NAMES], [edge(*e) for e in edges])
    assert sorted(row.split()[0] for row in drawn.split("\n")) == NAMES


def test_a_long_chain_needs_no_deep_stack() -> None:
    names = [f"n{number:04}" for number in range(3_000)]
    drawn = draw("text", [node(name) for name in names], [edge(*pair) for pair in pairwise(names)])
    assert drawn.count("\n") == len(names) - 1


@pytest.mark.parametrize("form", ["text", "mermaid", "dot"])
def test_no_text_leaves_its_line(form: str) -> None:
    plain = draw(form, [node("a")], [])
    nasty = draw(form, [node("a", NASTY)], [])
    assert nasty.count("\n") == plain.count("\n")
    assert "\x1b" not in nasty


def test_a_mermaid_label_holds_nothing_that_ends_it() -> None:
    label = re.search(r'a\["(.*)"\]$', draw("mermaid", [node("a", NASTY)], []), re.MULTILINE)
    assert label is not None
    assert not set(label[1].replace("<br/>", "")) & set('"<>`[]{}|\\')


def test_a_dot_label_escapes_quotes_and_backslashes() -> None:
    drawn = draw("dot", [node("a", '\\" x')], [edge("a", "b", "frees")])
    assert '\\\\\\" x' in drawn
    assert '"a" -> "b" [style=dotted, label="frees"];' in drawn


def test_an_empty_graph_is_drawn_too() -> None:
    assert draw("text", [], []) == ""
    assert draw("mermaid", [], []) == "flowchart TD"
