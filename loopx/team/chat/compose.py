"""From what a person typed to the runner of a chat worker; what is missing is refused before anything is opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.team.chat.asking import asker_here
from loopx.team.chat.catalog import TOOL_NAMES
from loopx.team.chat.policy import parse_policy
from loopx.team.chat.settings import chat_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from loopx.team.chat.spawn import Spawn
    from loopx.team.runner import Runner
    from loopx.team.seat import Seat


def chat_runner_maker(
    model: str | None,
    environment: Mapping[str, str],
    *,
    allow: Iterable[str] = (),
    ask: Iterable[str] = (),
    deny: Iterable[str] = (),
    spawn: Spawn | None = None,
) -> Callable[[Seat, str], Runner]:
    """How to make the runner of a seat, for that model and under the policy of these rules (S4.7).

    ModelNotConfiguredError, ExtraMissingError; UsageError and WriteScopeInvalidError for a rule that means nothing.
    """
    settings = chat_settings(model, environment)
    policy = parse_policy(TOOL_NAMES, allow=allow, ask=ask, deny=deny)
    asker = asker_here()

    def make(seat: Seat, _folder: str) -> Runner:
        from loopx.team.chat.runner import ChatRunner  # with the agent library, which takes seconds to import

        return ChatRunner(
            settings=settings,
            project=seat.project,
            policy=policy,
            asker=asker,
            environment=environment,
            capabilities=seat.capabilities,
            spawn=spawn,
        )

    return make
