"""One module a family of pages: a project and what is asked become a view. Nothing here writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.web.pages.crew import budget, workers
from loopx.web.pages.goal import board, goal, todos
from loopx.web.pages.graph import graph
from loopx.web.pages.history import events
from loopx.web.pages.overview import inbox, overview
from loopx.web.pages.todo import todo

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopx.app.project import Project
    from loopx.web.view import Asked, View

    Page = Callable[[Project, Asked], View]

PAGES: dict[str, Page] = {
    "/": overview,
    "/inbox": inbox,
    "/goal": goal,
    "/board": board,
    "/graph": graph,
    "/todos": todos,
    "/todos/{todo_id}": todo,
    "/events": events,
    "/workers": workers,
    "/budget": budget,
}
