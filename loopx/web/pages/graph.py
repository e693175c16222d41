"""The work graph as a picture to move about in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from loopx.app.page import Page
from loopx.app.todo_graph import read_graph
from loopx.app.todo_list import Wanted
from loopx.core.todo import Status, TaskClass
from loopx.render.geometry import HEIGHT, MARGIN, WIDTH, planned
from loopx.render.width import fitted, harmless
from loopx.render.words import class_word, state_span
from loopx.web.drawing import untagged
from loopx.web.view import View

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from loopx.app.project import Project
    from loopx.render.geometry import Arrow
    from loopx.web.view import Asked

DRAWN = 300  # todos of a picture; more is no picture any more
_COLUMNS = 27  # of text that a box holds


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A todo where it is drawn, with the words that its box holds."""

    todo_id: str
    x: int
    y: int
    state: str
    kind: str
    priority: str
    holder: str | None
    text: str
    whole: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """Everything that the template draws, in pixels."""

    nodes: tuple[Node, ...]
    arrows: tuple[Arrow, ...]
    width: int
    height: int
    box_width: int = WIDTH
    box_height: int = HEIGHT


def graph(project: Project, asked: Asked) -> View:
    """A page of the graph; what is open first where the whole is too much for one picture."""
    goal_id = asked.word("goal")
    status = asked.member("status", Status)
    shown = asked.word("show")
    page = Page(DRAWN, asked.word("cursor"))
    document = read_graph(project, Wanted(goal_id=goal_id, status=status), page)
    if status is None and shown is None and document["truncated"]:
        status = Status.OPEN
        document = read_graph(project, Wanted(goal_id=goal_id, status=status), page)
    values = {
        "graph": document,
        "picture": picture(document["nodes"], document["edges"]),
        "status": status,
        "statuses": tuple(Status),
        "is_first": asked.word("cursor") is None,
    }
    return View("graph.html", "Graph", values, goal_id, here="graph")


def picture(nodes: Sequence[Mapping[str, Any]], edges: Sequence[Mapping[str, str]]) -> Picture:
    """Where everything is drawn."""
    plan = planned([node["todo_id"] for node in nodes], edges)
    drawn = tuple(
        Node(
            todo_id=node["todo_id"],
            x=plan.boxes[node["todo_id"]].x,
            y=plan.boxes[node["todo_id"]].y,
            state=state_span(node).text,
            kind="gate" if node["task_class"] == TaskClass.USER_GATE else class_word(node["task_class"]),
            priority=node["priority"],
            holder=node["claimed_by"],
            text=fitted(untagged(node["text"]), _COLUMNS),
            whole=harmless(node["text"]),
        )
        for node in nodes
    )
    return Picture(nodes=drawn, arrows=plan.arrows, width=plan.right + MARGIN, height=plan.bottom + MARGIN)
