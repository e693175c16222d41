"""`loopx gate list`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.todo_list import Wanted, list_todos
from loopx.cli.declare import ChoiceType, option
from loopx.cli.paging import page_options
from loopx.cli.verb import verb
from loopx.core.todo import Status, TaskClass

if TYPE_CHECKING:
    from loopx.app.page import Page
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("list", example="loopx gate list --status open")
@option("--status", type=ChoiceType(Status), help="Only of this status.")
@page_options
def cli(invocation: Invocation, page: Page, status: Status | None) -> Document:
    """Gates in creation order, whole, with their answers."""
    wanted = Wanted(goal_id=invocation.goal_id, status=status, task_class=TaskClass.USER_GATE)
    return list_todos(invocation.project(), wanted, page, full=True)
