"""`todo graph`: a page of the work graph with what blocks what, what followed and what replaced what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.todo_list import Wanted, read_page
from loopx.contracts.todo_document import SUBJECT_BYTES, priority_name
from loopx.core.text import cut, first_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from loopx.app.mutation import Document
    from loopx.app.page import Page
    from loopx.app.project import Project, Snapshot
    from loopx.core.todo import Todo

GRAPH_SCHEMA = "todo_graph_v1"


def read_graph(project: Project, wanted: Wanted, page: Page) -> Document:
    """The todos of a page in creation order, and the edges between them.

    An edge with one end on another page is counted in `edges_outside`.
    """

    def query(snapshot: Snapshot) -> Document:
        todos, keys = read_page(snapshot, wanted, page, full=True)
        shown = {todo.todo_id for todo in todos}
        edges = [edge for todo in todos for edge in graph_edges(todo)]
        inside = [edge for edge in edges if edge["from"] in shown and edge["to"] in shown]
        return {
            "schema_version": GRAPH_SCHEMA,
            "ok": True,
            "nodes": [graph_node(todo) for todo in todos],
            "edges": inside,
            "edges_outside": len(edges) - len(inside),
            **keys,
            "state": snapshot.state,
        }

    return project.read(query)


def graph_node(todo: Todo) -> Document:
    """A todo as the graph shows it."""
    return {
        "todo_id": todo.todo_id,
        "status": todo.status.value,
        "closure": todo.closure.value if todo.closure else None,
        "task_class": todo.task_class.value,
        "priority": priority_name(todo.priority),
        "claimed_by": todo.claim.agent_id if todo.claim else None,
        "text": cut(first_line(todo.text), SUBJECT_BYTES)[0],
    }


def graph_edges(todo: Todo) -> Iterator[Document]:
    """Each edge is told by one of its ends: dependencies by who waits, lineage by who came first."""
    for dependency_id in todo.blocked_by:
        yield {"from": dependency_id, "to": todo.todo_id, "kind": "blocks"}
    for successor_id in todo.successors:
        kind = "replaced_by" if successor_id == todo.superseded_by else "followed_by"
        yield {"from": todo.todo_id, "to": successor_id, "kind": kind}
    if todo.gate is not None and todo.gate.unblocks_todo_id is not None:
        yield {"from": todo.todo_id, "to": todo.gate.unblocks_todo_id, "kind": "frees"}
