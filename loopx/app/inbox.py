"""`inbox`: what waits for a person, oldest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.hand_edit import hand_made_grants
from loopx.app.todo_list import Wanted, todo_page
from loopx.contracts.goal_document import grant_document
from loopx.core.todo import Role

if TYPE_CHECKING:
    from loopx.app.mutation import Document
    from loopx.app.page import Page
    from loopx.app.project import Project, Snapshot

INBOX_SCHEMA = "inbox_v1"


def read_hand_made_grants(project: Project, goal_id: str | None) -> list[Document]:
    """The grants of one goal, or of all, that stand in the registry without a command that gave them."""
    return project.read(lambda snapshot: _hand_made(snapshot, goal_id))


def read_inbox(project: Project, goal_id: str | None, page: Page) -> Document:
    """Open gates and actions of one goal, or of all, and the grants that were made by hand."""
    wanted = Wanted(goal_id=goal_id, role=Role.USER, open_only=True)

    def query(snapshot: Snapshot) -> Document:
        document = todo_page(snapshot, wanted, page, full=True)
        document["schema_version"] = INBOX_SCHEMA
        document["hand_made_grants"] = _hand_made(snapshot, goal_id)
        return document

    return project.read(query)


def _hand_made(snapshot: Snapshot, goal_id: str | None) -> list[Document]:
    return [
        {"goal_id": goal, **grant_document(grant)}
        for goal, grant in hand_made_grants(snapshot.db, snapshot.registry)
        if goal_id in (None, goal)
    ]
