"""What the parts of a control plane share: the session that they all speak through."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.page import DEFAULT_LIMIT, checked_page

if TYPE_CHECKING:
    from loopx.app.mutation import Document
    from loopx.app.page import Page
    from loopx.app.project import Project
    from loopx.app.session import Session

LIMIT = DEFAULT_LIMIT


class Desk:
    """A family of calls on one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @property
    def _project(self) -> Project:
        return self._session.project

    def _told(self, document: Document) -> Document:
        return self._session.told(document)


def page(limit: int, cursor: str | None) -> Page:
    """The page of a list; UsageError for a limit out of range."""
    return checked_page(limit, cursor)
