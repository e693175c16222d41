"""`loopx board`: the lanes of a goal in the terminal, until it is left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.extra import module_of_extra
from loopx.cli.output import is_terminal
from loopx.cli.verb import verb
from loopx.core.errors import UsageError

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("board", example="loopx board --goal-id ship")
def cli(invocation: Invocation) -> Document | None:
    """Lanes, details and the person's answers to gates, live; `q` leaves it.

    It needs a terminal. Under an agent's identity it only shows: a person answers gates.
    """
    import gc

    if invocation.is_json or not is_terminal():
        raise UsageError("the board needs a terminal", hint="`loopx todo list` and `loopx status` print the same.")
    gc.enable()  # it lives long; the entry point turned collecting off for calls that do not
    tui = module_of_extra("loopx.tui.board", "tui")
    app = tui.BoardApp(
        invocation.project(), invocation.goal_id, actor=invocation.actor(), role=invocation.settings.role
    )
    app.run()
    return None
