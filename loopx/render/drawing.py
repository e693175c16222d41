"""The work graph drawn: as an indented text, as Mermaid, as DOT; `svg` draws the picture.

A todo's text is data in all of them: what the form would read as its own syntax is written so that it
stands for itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.render.svg import draw_svg
from loopx.render.width import display_width, harmless, padded
from loopx.render.words import class_word, state_span

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Node = Mapping[str, Any]
    Edge = Mapping[str, str]

_ARROWS = {"blocks": "-->", "followed_by": "-.->", "replaced_by": "==>", "frees": "--o"}
_STYLES = {"blocks": "solid", "followed_by": "dashed", "replaced_by": "bold", "frees": "dotted"}
_AFTER = {"blocks": "after", "followed_by": "follows", "replaced_by": "replaces", "frees": "freed by"}


def draw(form: str, nodes: Sequence[Node], edges: Sequence[Edge]) -> str:
    """The drawing in that form: `text`, `mermaid`, `dot` or `svg`."""
    drawn = {"text": _text, "mermaid": _mermaid, "dot": _dot, "svg": draw_svg}[form](nodes, edges)
    return "\n".join(drawn)


# --- text --------------------------------------------------------------------------------


def _text(nodes: Sequence[Node], edges: Sequence[Edge]) -> Iterator[str]:
    """A line a todo below the first that it comes after; its other predecessors are named."""
    before: dict[str, list[Edge]] = {}
    for edge in sorted(edges, key=lambda edge: edge["kind"] != "blocks"):
        before.setdefault(edge["to"], []).append(edge)
    rows = [
        ([f"{'  ' * depth}{node['todo_id']}", node["priority"], _standing(node)], _words(node, before, depth))
        for depth, node in _ordered(nodes, before)
    ]
    widths = [max(map(display_width, column)) for column in zip(*(cells for cells, _ in rows), strict=True)]
    for cells, words in rows:
        yield "  ".join((*map(padded, cells, widths), words))


def _ordered(nodes: Sequence[Node], before: Mapping[str, list[Edge]]) -> Iterator[tuple[int, Node]]:
    """Depth and node: roots in creation order, each followed by what hangs on it, every todo once.

    Dependencies have no cycle, but together with lineage edges there may be one: then nothing of it
    hangs on a root, and its first todo is taken for one.
    """
    below: dict[str, list[Node]] = {}
    for node in nodes:
        for edge in before.get(node["todo_id"], [])[:1]:
            below.setdefault(edge["from"], []).append(node)
    seen: set[str] = set()
    roots = [node for node in nodes if node["todo_id"] not in before]
    for root in (*roots, *nodes):
        waiting = [(0, root)]
        while waiting:
            depth, node = waiting.pop()
            if node["todo_id"] not in seen:
                seen.add(node["todo_id"])
                yield depth, node
                waiting += ((depth + 1, child) for child in reversed(below.get(node["todo_id"], [])))


def _words(node: Node, before: Mapping[str, list[Edge]], depth: int) -> str:
    """The text, and what it comes after where the indentation does not say that."""
    edges = before.get(node["todo_id"], [])
    told = [f"{_AFTER[edge['kind']]} {edge['from']}" for edge in edges[min(depth, 1) :]]
    if depth and edges[0]["kind"] != "blocks":
        told.insert(0, f"{_AFTER[edges[0]['kind']]} it")
    return harmless(node["text"]) + (f"  ({', '.join(told)})" if told else "")


def _standing(node: Node) -> str:
    holder = f" {node['claimed_by']}" if node["claimed_by"] else ""
    return f"{state_span(node).text} {class_word(node['task_class'])}{holder}"


# --- Mermaid -----------------------------------------------------------------------------

_ENTITIES = {ord(character): f"#{ord(character)};" for character in '#"&<>`\\{}[]()|;'}


def _mermaid(nodes: Sequence[Node], edges: Sequence[Edge]) -> Iterator[str]:
    yield "flowchart TD"
    for node in nodes:
        head = f"{node['todo_id']} {node['priority']} {_standing(node)}"
        yield f'  {node["todo_id"]}["{_entities(head)}<br/>{_entities(harmless(node["text"]))}"]'
    for edge in edges:
        yield f"  {edge['from']} {_ARROWS[edge['kind']]} {edge['to']}"


def _entities(text: str) -> str:
    return text.translate(_ENTITIES)


# --- DOT ---------------------------------------------------------------------------------


def _dot(nodes: Sequence[Node], edges: Sequence[Edge]) -> Iterator[str]:
    yield "digraph todos {"
    yield "  node [shape=box];"
    for node in nodes:
        head = f"{node['todo_id']} {node['priority']} {_standing(node)}"
        yield f'  "{node["todo_id"]}" [label="{_escaped(head)}\\n{_escaped(harmless(node["text"]))}"];'
    for edge in edges:
        style, label = _STYLES[edge["kind"]], edge["kind"].replace("_", " ")
        yield f'  "{edge["from"]}" -> "{edge["to"]}" [style={style}, label="{label}"];'
    yield "}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
