"""The project of a server: opened when it is first asked for, kept open, and found again when it comes and goes.

SQLite connections belong to one thread. So all work is done by one thread of its own, in the order in which it
came, while the event loop goes on reading requests.
"""

from __future__ import annotations

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from loopx.app.session import Identity, open_session, real_outside
from loopx.app.toolset.compose import Bound, compose_toolset
from loopx.app.toolset.tool import ToolContext
from loopx.core.errors import UsageError
from loopx.core.value import Value
from loopx.mcp.tool import EDGE_TOOLS

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopx.app.project import Project
    from loopx.app.session import Outside, Session
    from loopx.app.toolset.compose import Toolset
    from loopx.core.instant import Duration
    from loopx.settings import Settings

T = TypeVar("T")


class Served(Value):
    """What a server was started with; nothing of it changes, and no caller has a say in it (S2.3)."""

    path: str | None
    agent_id: str
    role: str
    goal_id: str | None
    ttl: Duration
    capabilities: tuple[str, ...] | None
    folder: str | None


class Resident:
    """The one thread that works on the project."""

    def __init__(self, served: Served, settings: Settings, outside: Outside | None = None) -> None:
        self._served = served
        self._settings = settings
        self._outside = outside or real_outside()
        self._run_id = self._outside.ids.new("run")
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="loopx")
        self._session: Session | None = None
        self._toolset: Toolset | None = None
        self._is_ending = False

    async def ask(self, use: Callable[[Toolset], T]) -> T:
        """What the use answers, on the project as it is now. ProjectNotFoundError, and what the use refuses.

        A caller that goes away does not stop what has begun: a transaction is done whole or not at all.
        """
        return await asyncio.get_running_loop().run_in_executor(self._thread, lambda: use(self._open()))

    async def close(self) -> None:
        """Let the work that has begun end, refuse what waits, and close the project."""
        self._is_ending = True
        closing = self._thread.submit(self._close)
        await asyncio.wrap_future(closing)
        self._thread.shutdown(wait=True)

    def _open(self) -> Toolset:
        """The tools on the open project; a project that is gone is looked for again."""
        if self._is_ending:
            raise UsageError("the server is ending", hint="Start it again.")
        if self._session is not None and _is_gone(self._session.project):
            self._close()
        if self._toolset is None:
            self._toolset = self._composed()
        return self._toolset

    def _composed(self) -> Toolset:
        served = self._served
        identity = Identity(served.agent_id, served.role, served.goal_id)
        self._session = open_session(served.path, identity, self._settings, self._outside)
        context = ToolContext(
            self._session.project,
            identity=served.agent_id,
            role=served.role,
            run_id=self._run_id,
            goal_id=served.goal_id,
            ttl=served.ttl,
            capabilities=served.capabilities,
            folder=served.folder,
        )
        return compose_toolset(context, more=[Bound(tool, context) for tool in EDGE_TOOLS])

    def _close(self) -> None:
        session, self._session, self._toolset = self._session, None, None
        if session is not None:
            session.close()


def _is_gone(project: Project) -> bool:
    """Whether the folder of the project was taken away under it; one on a server has none."""
    return project.is_embedded and not os.path.exists(project.paths.registry)
