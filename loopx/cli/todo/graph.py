"""`loopx todo graph`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.todo_graph import read_graph
from loopx.app.todo_list import Wanted
from loopx.cli.declare import ChoiceType, option
from loopx.cli.paging import page_options
from loopx.cli.verb import verb
from loopx.core.todo import Status

if TYPE_CHECKING:
    from loopx.app.page import Page
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document

FORMS = ("text", "mermaid", "dot", "svg", "json")


@verb("graph", example="loopx todo graph --goal-id ship --as mermaid")
@option("--as", "form", type=ChoiceType(FORMS), default="text", help="The form of the drawing (text).")
@option("--status", type=ChoiceType(Status), help="Only todos of this status.")
@page_options
def cli(invocation: Invocation, page: Page, form: str, status: Status | None) -> Document:
    """Todos with what blocks them, what followed and what replaced them, one page at a time."""
    from loopx.render.drawing import draw

    document = read_graph(invocation.project(), Wanted(goal_id=invocation.goal_id, status=status), page)
    if document["truncated"]:
        shown, total, cursor = len(document["nodes"]), document["total"], document["next_cursor"]
        document["warnings"] = [f"{shown} of {total} todos are drawn; go on with --cursor {cursor}"]
    document["as"] = form
    document["drawing"] = None if form == "json" else draw(form, document["nodes"], document["edges"])
    return document
