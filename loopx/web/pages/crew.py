"""Who works, what they hold, and what it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.crew import read_crew
from loopx.app.page import Page
from loopx.app.spend import quota_status
from loopx.web.view import View

if TYPE_CHECKING:
    from loopx.app.project import Project
    from loopx.web.view import Asked


def workers(project: Project, asked: Asked) -> View:
    """The agents of a goal with their claims and leases."""
    crew = read_crew(project, asked.word("goal"))
    return View("workers.html", "Workers", {"crew": crew}, crew.goal_id, here="workers")


def budget(project: Project, asked: Asked) -> View:
    """What the window allows and holds, by agent and by day."""
    goal_id = project.read(lambda snapshot: snapshot.registry.goal(asked.word("goal"))).goal_id
    quota = quota_status(project, goal_id, Page())["quota"][0]
    return View("budget.html", "Budget", {"quota": quota}, goal_id, here="budget")
