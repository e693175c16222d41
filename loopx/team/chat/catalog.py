"""Which tools a chat worker has beside the leased task tools, by role."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.toolset.task import TASK_TOOLS
from loopx.team.chat.files import FILE_TOOLS
from loopx.team.chat.mail import MAIL_TOOLS
from loopx.team.chat.shell import SHELL
from loopx.team.chat.spawn import SPAWN_TEAMMATE

if TYPE_CHECKING:
    from loopx.app.toolset.tool import Tool

EDGE_TOOLS = (SHELL, *FILE_TOOLS, *MAIL_TOOLS, SPAWN_TEAMMATE)
TOOL_NAMES = tuple(tool.name for tool in (*TASK_TOOLS, *EDGE_TOOLS))


def edge_tools(role: str, *, spawns: bool) -> tuple[Tool, ...]:
    """The tools of the role; the one that starts teammates only where a team can take them."""
    return tuple(tool for tool in EDGE_TOOLS if role in tool.roles and (spawns or tool is not SPAWN_TEAMMATE))
