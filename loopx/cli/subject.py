"""`--agent-id` as the subject: whom a command is about, never who acts and never the environment's."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

from loopx.cli.declare import option
from loopx.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopx.cli.context import Invocation

F = TypeVar("F", bound="Callable[..., Any]")


def subject_option(text: str) -> Callable[[F], F]:
    """`--agent-id` of a command that is declared with `subject=True`, before or after its name."""

    def declare(function: F) -> F:
        @wraps(function)
        def run(invocation: Invocation, *, agent_id: str | None, **parameters: Any) -> Any:
            before = invocation.options.pop("agent_id", None)
            given = {name for name in (before, agent_id) if name is not None}
            if len(given) != 1:
                raise UsageError(
                    "the command is about two agents" if given else "no agent was named",
                    hint="Name one with --agent-id.",
                )
            return function(invocation, agent_id=given.pop(), **parameters)

        return option("--agent-id", metavar="ID", help=text)(run)  # type: ignore[return-value]

    return declare
