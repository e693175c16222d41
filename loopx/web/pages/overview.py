"""What waits for a person, then the goals, then what happened last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.inbox import read_hand_made_grants
from loopx.app.log import LogFilter, read_recent
from loopx.app.overview import read_overview
from loopx.app.page import Page
from loopx.app.question import read_questions
from loopx.web.view import View

if TYPE_CHECKING:
    from loopx.app.project import Project
    from loopx.web.view import Asked

GOALS_SHOWN = 12
QUESTIONS_SHOWN = 5  # the inbox has them all
INBOX_SHOWN = 50
EVENTS_SHOWN = 8


def overview(project: Project, asked: Asked) -> View:
    """The project at a glance, the user channel first."""
    values = {
        "questions": read_questions(project, shown=QUESTIONS_SHOWN),
        "goals": read_overview(project, None, Page(GOALS_SHOWN, asked.word("cursor"))),
        "events": read_recent(project, LogFilter(), limit=EVENTS_SHOWN),
    }
    return View("overview.html", "Overview", values, here="overview")


def inbox(project: Project, asked: Asked) -> View:
    """Every question, and the grants that were written by hand."""
    goal_id = asked.word("goal")
    values = {
        "questions": read_questions(project, goal_id, shown=INBOX_SHOWN),
        "grants": read_hand_made_grants(project, goal_id),
    }
    return View("inbox.html", "Inbox", values, goal_id, here="inbox")
