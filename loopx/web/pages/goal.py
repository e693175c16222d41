"""One goal: how it stands, its board, and its todos as a list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.board import read_board
from loopx.app.goal_view import show_goal
from loopx.app.log import LogFilter, read_recent
from loopx.app.overview import read_overview, read_standing
from loopx.app.page import Page
from loopx.app.question import read_questions
from loopx.app.todo_list import Wanted, list_todos
from loopx.core.todo import Status, TaskClass
from loopx.web.view import View

if TYPE_CHECKING:
    from loopx.app.project import Project
    from loopx.web.view import Asked

LISTED = 100
EVENTS_SHOWN = 12
QUESTIONS_SHOWN = 10


def goal(project: Project, asked: Asked) -> View:
    """Objective, questions, criteria, who is on what, what work waits for, and how it flows."""
    shown = show_goal(project, asked.word("goal"))
    goal_id = shown["goal"]["goal_id"]
    values = {
        "goal": shown["goal"],
        "missing": shown["missing"],
        "glance": read_overview(project, goal_id, Page()).goals[0],
        "questions": read_questions(project, goal_id, shown=QUESTIONS_SHOWN),
        "standing": read_standing(project, goal_id),
        "events": read_recent(project, LogFilter(goal_id), limit=EVENTS_SHOWN),
    }
    return View("goal.html", goal_id, values, goal_id, here="goal")


def board(project: Project, asked: Asked) -> View:
    """The lanes."""
    lanes = read_board(project, asked.word("goal"))
    return View("board.html", "Board", {"board": lanes}, lanes.goal_id, here="board")


def todos(project: Project, asked: Asked) -> View:
    """A page of the todos that match, in the order of creation."""
    goal_id = asked.word("goal")
    runnable_for = asked.word("runnable_for")
    wanted = Wanted(
        goal_id=goal_id,
        status=asked.member("status", Status),
        task_class=asked.member("class", TaskClass),
        claimed_by=asked.word("claimed_by"),
        text_match=asked.word("text"),
        runnable_for=runnable_for,
        archived=asked.word("archived") is not None,
    )
    values = {
        "list": list_todos(project, wanted, Page(LISTED, asked.word("cursor"))),
        "wanted": {name: asked.word(name) for name in ("status", "class", "claimed_by", "text", "runnable_for")},
        "archived": wanted.archived,
        "statuses": tuple(Status),
        "classes": tuple(TaskClass),
        "is_first": asked.word("cursor") is None,
    }
    return View("todos.html", "Todos", values, goal_id, here="todos")
