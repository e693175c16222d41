"""Between the model and the tools: schema, policy, a person, the plan and the audit, in this order (S3.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from loopx.app.toolset.audit import Clearance, ToolCall, record_call
from loopx.app.toolset.schema import checked_arguments
from loopx.contracts.error_document import error_document
from loopx.core.errors import LoopxError, PlanNotApprovedError, ToolDeniedError
from loopx.team.chat.asking import Asker, Question
from loopx.team.chat.folder import split_path
from loopx.team.chat.policy import WITH_PATHS, Policy, Verdict

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from loopx.app.mutation import Document
    from loopx.app.toolset.compose import Toolset
    from loopx.app.toolset.tool import Arguments, Tool
    from loopx.team.chat.thread import ToolThread

_PASSES = (Clearance.ALLOWED, Clearance.APPROVED)
_WHY = {
    Clearance.DENIED: "the policy of this worker denies it",
    Clearance.DECLINED: "the person who was asked said no",
    Clearance.UNANSWERED: "a person would have to allow it, and this run has no terminal",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """The tools of one run. `beside` are those that work in the event loop instead of the tools' thread."""

    toolset: Toolset
    beside: Mapping[str, Callable[[Arguments], Awaitable[Document]]]
    policy: Policy
    asker: Asker
    thread: ToolThread
    todo_id: str | None = None

    async def call(self, name: str, arguments: object) -> Document:
        """What the tool answers, or the document of what is refused. Anything else is a bug and passes through."""
        try:
            tool = self.toolset.find(name)
            checked, path = await self._checked(tool, arguments)
            await self._let_pass(tool, checked, path)
            if name in self.beside:
                return await self.beside[name](checked)
            return await self.thread.do(self.toolset.call, name, checked)
        except LoopxError as refused:
            return error_document(refused)

    async def _checked(self, tool: Tool, arguments: object) -> tuple[Arguments, str | None]:
        """The arguments, and the one spelling of the path that they name; what is malformed is recorded too."""
        try:
            checked = checked_arguments(tool, arguments)
            return checked, "/".join(split_path(checked["path"])) if tool.name in WITH_PATHS else None
        except LoopxError:
            await self._record(tool, arguments, Clearance.MALFORMED, None)
            raise

    async def _let_pass(self, tool: Tool, arguments: Arguments, path: str | None) -> None:
        """ToolDeniedError, PlanNotApprovedError; the call is recorded either way, before anything is done."""
        about = path if path is not None else _about(arguments)
        clearance = await self._clearance(tool, arguments, path, about)
        clearance = await self._record(tool, arguments, clearance, about)
        if clearance is Clearance.PLAN_OPEN:
            raise PlanNotApprovedError(
                f"{tool.name} starts work, and your newest plan is not approved",
                hint="End your turn; the answer comes by itself.",
                tool=tool.name,
            )
        if clearance not in _PASSES:
            raise ToolDeniedError(
                f"{tool.name} was not carried out: {_WHY[clearance]}",
                hint="Take another way, or tell your lead what you need.",
                tool=tool.name,
                clearance=clearance.value,
            )

    async def _clearance(self, tool: Tool, arguments: Arguments, path: str | None, about: str | None) -> Clearance:
        verdict = self.policy.judge(tool.name, path)
        if verdict is not Verdict.ASK:
            return Clearance.ALLOWED if verdict is Verdict.ALLOW else Clearance.DENIED
        size = f" ({len(arguments['text'])} characters)" if "text" in arguments else ""
        question = Question(
            agent_id=self.toolset.context.identity, tool=tool.name, about=f"{about or 'no arguments'}{size}"
        )
        answer = await self.asker.ask(question)
        if answer is None:
            return Clearance.UNANSWERED
        return Clearance.APPROVED if answer else Clearance.DECLINED

    async def _record(self, tool: Tool, arguments: object, clearance: Clearance, about: str | None) -> Clearance:
        call = ToolCall(tool.name, arguments, clearance, tool.starts_work, about, self.todo_id)
        return await self.thread.do(record_call, self.toolset.context, call)


def _about(arguments: Arguments) -> str | None:
    """What the call is about, where one argument says it; texts and tokens are not repeated."""
    for name in ("command", "task_id", "plan_id", "to", "agent", "subject"):
        if name in arguments:
            return str(arguments[name])
    return None
