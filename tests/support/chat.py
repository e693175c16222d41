"""A chat runner for tests: on a project of `tests.support.project`, against the scripted server."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from loopx.team.chat.asking import NobodyThere, Question
from loopx.team.chat.catalog import TOOL_NAMES
from loopx.team.chat.policy import parse_policy
from loopx.team.chat.runner import ChatRunner
from loopx.team.chat.settings import ChatSettings
from loopx.team.runner import Assignment
from tests.support.project import GOAL

if TYPE_CHECKING:
    from pathlib import Path

    from loopx.app.project import Project
    from tests.support.chat_server import ChatServer

KEY = "sk-scripted-0123456789abcdefghij"


class Answers:
    """Somebody at the terminal who always says the same, and remembers what was asked."""

    def __init__(self, *, answer: bool | None) -> None:
        self.answer = answer
        self.asked: list[Question] = []

    async def ask(self, question: Question) -> bool | None:
        self.asked.append(question)
        return self.answer


def settings_of(server: ChatServer, **more: Any) -> ChatSettings:
    return ChatSettings(model="scripted", base_url=server.url, api_key=KEY, **more)


def runner_of(
    project: Project,
    server: ChatServer,
    *,
    asker: Any = None,
    settings: ChatSettings | None = None,
    spawn: Any = None,
    **rules: tuple[str, ...],
) -> ChatRunner:
    return ChatRunner(
        settings=settings or settings_of(server),
        project=project,
        policy=parse_policy(TOOL_NAMES, **rules),
        asker=asker or NobodyThere(),
        environment={"PATH": "/usr/bin:/bin", "OPENAI_API_KEY": KEY, "LOOPX_AGENT_ID": "someone-else"},
        spawn=spawn,
    )


def assignment(
    root: Path, message: str = "do it", *, agent: str = "bob", role: str = "teammate", **more: Any
) -> Assignment:
    """Something to do in a workspace beside the state."""
    folder = root / "work"
    folder.mkdir(exist_ok=True)
    given = {"run_id": "msg_1", "lead": "ann", "cancel": asyncio.Event(), **more}
    return Assignment(
        goal_id=GOAL,
        agent_id=agent,
        role=role,
        message=message,
        folder=str(folder),
        state_root=str(root),
        **given,
    )
