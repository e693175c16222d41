"""A thread of its own for a project: SQLite connections belong to the thread that opened them."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopx.app.project import Project

T = TypeVar("T")


class Desk:
    """Answers one question about the project at a time, in order, beside the event loop."""

    def __init__(self, open_project: Callable[[], Project]) -> None:
        self._open = open_project
        self._project: Project | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="loopx-desk")

    async def ask(self, question: Callable[[Project], T]) -> T:
        """The question's answer; whatever it raises is raised here."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._answer, question)

    def close(self) -> None:
        """Finish what was asked, close the project and end the thread."""
        self._thread.submit(self._leave).result()
        self._thread.shutdown()

    def _answer(self, question: Callable[[Project], T]) -> T:
        if self._project is None:
            self._project = self._open()
        return question(self._project)

    def _leave(self) -> None:
        if self._project is not None:
            self._project.close()
