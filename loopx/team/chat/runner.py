"""The chat runner: a model at an OpenAI-compatible endpoint works through guarded tools (S3, S4)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from loopx.app.toolset.compose import Bound, compose_toolset
from loopx.app.toolset.tool import ToolContext
from loopx.core.errors import ModelFailedError
from loopx.team.chat.agent import Talk, converse
from loopx.team.chat.catalog import edge_tools
from loopx.team.chat.guard import Guard
from loopx.team.chat.policy import Policy
from loopx.team.chat.prompt import instructions
from loopx.team.chat.shell import SHELL, Shell
from loopx.team.chat.spawn import SPAWN_TEAMMATE
from loopx.team.chat.thread import ToolThread
from loopx.team.idle import AsyncSleeper, LoopSleeper
from loopx.team.runner import Assignment, RunResult
from loopx.team.tasks import race

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from loopx.app.mutation import Document
    from loopx.app.project import Project
    from loopx.app.toolset.tool import Arguments
    from loopx.team.chat.asking import Asker
    from loopx.team.chat.settings import ChatSettings
    from loopx.team.chat.spawn import Spawn


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRunner:
    """Asks one model for each assignment. The project's store is opened once more for each run."""

    settings: ChatSettings
    project: Project
    policy: Policy
    asker: Asker
    environment: Mapping[str, str] = field(repr=False)
    capabilities: tuple[str, ...] | None = None
    spawn: Spawn | None = None
    sleeper: AsyncSleeper = field(default_factory=LoopSleeper)

    @property
    def name(self) -> str:
        return self.settings.model

    async def run(self, assignment: Assignment) -> RunResult:
        """Let the model work on it; see `Runner`. A model that fails is a run that did not succeed.

        When `cancel` is set the request is dropped, a running command is ended with all it started, and what
        the store has begun is finished.
        """
        talk = Talk()
        project = self.project.another()
        async with ToolThread(project) as thread:
            guard = self._guard(assignment, project, thread)
            try:
                winner = await race(self._talk(assignment, guard, talk), assignment.cancel.wait())
            except ModelFailedError as failed:
                return self._result(talk, succeeded=False, summary=f"{failed.message} [{failed.code}]")
        if winner > 0:
            return self._result(talk, succeeded=False, summary="stopped")
        return self._result(talk, succeeded=True, summary=f"{talk.requests} requests, {talk.tool_calls} tool calls")

    def _result(self, talk: Talk, *, succeeded: bool, summary: str) -> RunResult:
        return RunResult(
            succeeded=succeeded,
            text=self.settings.public(talk.text),
            summary=summary,
            tokens=talk.tokens,
            facts={"requests": talk.requests, "tool_calls": talk.tool_calls},
        )

    async def _talk(self, assignment: Assignment, guard: Guard, talk: Talk) -> None:
        await converse(self.settings, instructions(assignment), assignment.message, guard, talk)

    def _guard(self, assignment: Assignment, project: Project, thread: ToolThread) -> Guard:
        context = ToolContext(
            project,
            assignment.agent_id,
            assignment.role,
            project.ids.new("run"),  # not the assignment's, which may be a live claim token
            goal_id=assignment.goal_id,
            capabilities=self.capabilities,
            folder=assignment.folder,
        )
        tools = edge_tools(assignment.role, spawns=self.spawn is not None)
        return Guard(
            toolset=compose_toolset(context, more=[Bound(tool, context) for tool in tools]),
            beside=self._beside(assignment),
            policy=self.policy,
            asker=self.asker,
            thread=thread,
            todo_id=assignment.todo_id,
        )

    def _beside(self, assignment: Assignment) -> dict[str, Callable[[Arguments], Awaitable[Document]]]:
        shell = Shell(assignment=assignment, environment=self.environment, sleeper=self.sleeper)
        beside: dict[str, Callable[[Arguments], Awaitable[Document]]] = {SHELL.name: shell.run}
        if self.spawn is not None:
            spawn = self.spawn
            beside[SPAWN_TEAMMATE.name] = lambda arguments: spawn(arguments["agent"])
        return beside
