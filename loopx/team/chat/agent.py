"""The one module that knows the agent library: its loop, retries and plumbing, around our guarded tools."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from openai import AsyncOpenAI, DefaultAsyncHttpxClient
from pydantic_ai import Agent
from pydantic_ai.exceptions import (
    AgentRunError,
    ModelAPIError,
    ModelHTTPError,
    UnexpectedModelBehavior,
    UsageLimitExceeded,
)
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool
from pydantic_ai.usage import RunUsage, UsageLimits
from pydantic_core import SchemaValidator, core_schema

from loopx.core.errors import ModelFailedError
from loopx.core.instant import SECOND
from loopx.core.text import cut

if TYPE_CHECKING:
    from pydantic_ai import RunContext

    from loopx.app.toolset.tool import Tool
    from loopx.team.chat.guard import Guard
    from loopx.team.chat.settings import ChatSettings

_TOOL_RETRIES = 5  # calls in a row that the library cannot read, before a run is given up
_REASON_BYTES = 300
_ANY_JSON = SchemaValidator(core_schema.any_schema())


@dataclass(slots=True)
class Talk:
    """What a run has come to so far; also true where it fails half-way."""

    text: str = ""
    requests: int = 0
    tool_calls: int = 0
    tokens: int = 0


class _GuardedTools(AbstractToolset[None]):
    """Our tools as the library wants them. It reads the JSON; the schema is checked by the guard, once."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard

    @property
    def id(self) -> str | None:
        return None

    async def get_tools(self, ctx: RunContext[None]) -> dict[str, ToolsetTool[None]]:
        return {
            tool.name: ToolsetTool(
                toolset=self, tool_def=_definition(tool), max_retries=_TOOL_RETRIES, args_validator=_ANY_JSON
            )
            for tool in self._guard.toolset.tools
        }

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[None], tool: ToolsetTool[None]
    ) -> str:
        document = await self._guard.call(name, tool_args)
        return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def _definition(tool: Tool) -> ToolDefinition:
    """One call after the other: the audit has an order, and a file is not written twice at once."""
    return ToolDefinition(
        name=tool.name,
        description=tool.description,
        parameters_json_schema=dict(tool.schema),
        strict=False,
        sequential=True,
    )


async def converse(settings: ChatSettings, rules: str, message: str, guard: Guard, talk: Talk) -> None:
    """Let the model work until its last words, which `talk` then has; `talk` counts even where this fails.

    A request is repeated after 429, 5xx and dropped connections, with growing pauses. ModelFailedError where the
    endpoint refuses or stays away, or the model comes to no end.
    """
    usage = RunUsage()
    limits = UsageLimits(request_limit=settings.most_requests)
    async with _client(settings) as client:
        model = OpenAIChatModel(settings.model, provider=OpenAIProvider(openai_client=client))
        agent = Agent(model, instructions=rules, toolsets=[_GuardedTools(guard)], retries=_TOOL_RETRIES, name="loopx")
        try:
            done = await agent.run(message, usage=usage, usage_limits=limits, infer_name=False)
            talk.text = done.output
        except AgentRunError as exc:
            raise _failure(exc, settings) from exc
        finally:
            talk.requests, talk.tool_calls = usage.requests, usage.tool_calls
            talk.tokens = usage.input_tokens + usage.output_tokens


def _client(settings: ChatSettings) -> AsyncOpenAI:
    """A client of the one endpoint: redirects are not followed, and nothing else is taken from the environment."""
    timeout = settings.request_timeout / SECOND
    return AsyncOpenAI(
        api_key=settings.api_key,
        base_url=settings.base_url,
        organization="",
        project="",
        max_retries=settings.most_retries,
        timeout=timeout,
        http_client=DefaultAsyncHttpxClient(follow_redirects=False, timeout=timeout),
    )


def _failure(exc: AgentRunError, settings: ChatSettings) -> ModelFailedError:
    fact, status = _fact(exc, settings)
    return ModelFailedError(
        f"{settings.model} {fact}",
        hint="Check key, model name and address of the endpoint, or try again later.",
        status=status,
    )


def _fact(exc: AgentRunError, settings: ChatSettings) -> tuple[str, int | None]:
    """What happened, without the key, and the status where there was one."""
    if isinstance(exc, ModelHTTPError):
        return f"answered {exc.status_code}: {_shown(str(exc.body), settings)}", exc.status_code
    if isinstance(exc, ModelAPIError):
        return f"gave no answer after {settings.most_retries + 1} tries", None
    if isinstance(exc, UsageLimitExceeded):
        return f"came to no end within {settings.most_requests} requests", None
    if isinstance(exc, UnexpectedModelBehavior):
        return f"gave an answer that cannot be used: {_shown(exc.message, settings)}", None
    return f"failed: {_shown(str(exc), settings)}", None


def _shown(text: str, settings: ChatSettings) -> str:
    return cut(settings.public(text), _REASON_BYTES)[0]
