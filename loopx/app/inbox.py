"""`inbox`: what waits for a person, oldest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.todo_list import Wanted, list_todos
from loopx.core.todo import Role

if TYPE_CHECKING:
    from loopx.app.mutation import Document
    from loopx.app.page import Page
    from loopx.app.project import Project


def read_inbox(project: Project, goal_id: str | None, page: Page) -> Document:
    """Open gates and actions of one goal, or of all; grants made by hand are named in `warnings`."""
    document = list_todos(project, Wanted(goal_id=goal_id, role=Role.USER, open_only=True), page, full=True)
    document["schema_version"] = "inbox_v1"
    document["warnings"] = project.read(lambda snapshot: _hand_made_grants(snapshot.db))
    return document


def _hand_made_grants(db: object) -> list[str]:
    raise NotImplementedError
