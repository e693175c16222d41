"""`loopx handoff prompt`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.handoff_prompt import read_prompt
from loopx.cli.handoff.ends import question_of, to_option
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("prompt", example="loopx handoff prompt --goal-id ship --to agent-b")
@to_option
def cli(invocation: Invocation, to: str | None) -> Document:
    """The packet as a text of at most 4 kB to paste or pipe into any agent: the decision first."""
    return read_prompt(invocation.project(), question_of(invocation, to))
