"""Who hands over and who goes on, as every reading of a handoff is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from loopx.app.handoff_packet import HandoffQuestion
from loopx.cli.declare import option

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from loopx.cli.context import Invocation
    from loopx.core.instant import Instant

F = TypeVar("F", bound="Callable[..., Any]")


def to_option(function: F) -> F:
    """`--to`: the receiver; otherwise `--agent-id` asks for itself."""
    return option("--to", metavar="ID", help="Who goes on; otherwise whoever asks.")(function)


def question_of(invocation: Invocation, to: str | None, at: Instant | None = None) -> HandoffQuestion:
    """The question of this call, its names in their one spelling."""
    return HandoffQuestion(invocation.goal_id, invocation.actor().agent_id, agent_name(to), at)


def agent_name(typed: str | None) -> str | None:
    """An agent's id in its one spelling."""
    if typed is None:
        return None
    from loopx.core.name import normalise_name

    return normalise_name(typed, what="agent id")
