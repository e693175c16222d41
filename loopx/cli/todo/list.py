"""`loopx todo list`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.todo_list import Wanted, list_todos
from loopx.cli.declare import ChoiceType, flag, option
from loopx.cli.paging import page_options
from loopx.cli.verb import verb
from loopx.core.todo import Role, Status, TaskClass

if TYPE_CHECKING:
    from loopx.app.page import Page
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("list", example="loopx todo list --goal-id ship --status open --limit 20")
@option("--status", type=ChoiceType(Status), help="Only of this status.")
@option("--task-class", type=ChoiceType(TaskClass), help="Only of this class.")
@option("--role", type=ChoiceType(Role), help="Only the agents' or the person's.")
@option("--claimed-by", metavar="ID", help="Only what this agent is on, or has done.")
@option("--runnable-for", metavar="ID", help="Only what this agent may start now.")
@option("--text-match", metavar="TEXT", help="Only texts that contain this, whatever its case.")
@flag("--archived", help="What was archived, instead of what was not.")
@flag("--full", help="Whole todos instead of brief ones.")
@page_options
def cli(
    invocation: Invocation,
    page: Page,
    status: Status | None,
    task_class: TaskClass | None,
    role: Role | None,
    claimed_by: str | None,
    runnable_for: str | None,
    text_match: str | None,
    archived: bool,
    full: bool,
) -> Document:
    """Todos in creation order, one page at a time."""
    wanted = Wanted(
        goal_id=invocation.goal_id,
        status=status,
        task_class=task_class,
        role=role,
        claimed_by=claimed_by,
        runnable_for=runnable_for,
        text_match=text_match,
        archived=archived,
    )
    return list_todos(invocation.project(), wanted, page, full=full)
