"""The lead's tool to start another teammate, where the team that it leads can take one more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.toolset.schema import strict_object, text_of
from loopx.app.toolset.tool import Tool
from loopx.core.errors import ToolDeniedError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from loopx.app.mutation import Document
    from loopx.app.toolset.tool import Arguments, ToolContext

    Spawn = Callable[[str], Awaitable[Document]]  # an agent's id → what was started


def _misplaced(_context: ToolContext, _arguments: Arguments) -> Document:
    raise ToolDeniedError("this lead has no team to add to", hint="Start the lead with `loopx team run`.")


SPAWN_TEAMMATE = Tool(
    "spawn_teammate",
    "Start a worker for a registered agent; it finds ready tasks by itself.",
    strict_object({"agent": text_of("An agent of the goal.", 80)}, ("agent",)),
    ("lead",),
    _misplaced,
    writes=True,
    starts_work=True,
)
