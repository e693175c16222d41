"""The options that every level takes, before or after the subcommand."""

from __future__ import annotations

from functools import cache

from loopx.cli.declare import ChoiceType, Parameter, option, parameters_of
from loopx.settings import FORMATS

_FORMAT = option("--format", type=ChoiceType(FORMATS), kept=True, help="Text for people or one JSON document.")
_PROJECT = option("--project", metavar="DIR", kept=True, help="The project folder; otherwise found by walking up.")
_GOAL = option("--goal-id", metavar="ID", kept=True, help="The goal; may be left out when there is one.")
_AGENT = option("--agent-id", metavar="ID", kept=True, help="Who acts.")


@cache
def shared_parameters() -> tuple[Parameter, ...]:
    """`--format`, `--project`, `--goal-id` and, for who acts, `--agent-id`."""

    @_FORMAT
    @_PROJECT
    @_GOAL
    @_AGENT
    def declared() -> None: ...

    return parameters_of(declared)


@cache
def subject_parameters() -> tuple[Parameter, ...]:
    """The same for commands where `--agent-id` is the subject and declared by the command itself."""
    return tuple(parameter for parameter in shared_parameters() if parameter.dest != "agent_id")
