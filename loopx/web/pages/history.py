"""What happened, newest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.log import LogFilter, read_recent
from loopx.web.view import View

if TYPE_CHECKING:
    from loopx.app.project import Project
    from loopx.web.view import Asked

LISTED = 100


def events(project: Project, asked: Asked) -> View:
    """A page of the history of the project, a goal or a todo."""
    goal_id = asked.word("goal")
    wanted = LogFilter(goal_id, asked.word("todo"), action=asked.word("action"))
    values = {
        "events": read_recent(project, wanted, limit=LISTED, before=asked.number("before")),
        "wanted": wanted,
        "is_first": asked.word("before") is None,
    }
    return View("events.html", "Events", values, goal_id, here="events")
