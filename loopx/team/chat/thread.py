"""One thread that owns a project's connections, so that slow calls do not hold up the event loop.

SQLite connections belong to the thread that opened them, and a completion may run the todo's own check for
minutes while the lease must be renewed.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self

    from loopx.app.project import Project

P = ParamSpec("P")
T = TypeVar("T")


class ToolThread:
    """The thread of one run. Whatever it has begun is finished before the block ends."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="loopx-tools")

    async def do(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The function's answer, or what it raises, from this thread. Calls come one after the other."""
        return await asyncio.wrap_future(self._executor.submit(function, *args, **kwargs))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await asyncio.shield(asyncio.wrap_future(self._executor.submit(self._project.close)))
        finally:
            self._executor.shutdown(wait=False)
