"""The options of a worker, shared by `worker run` and `team run`."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

from loopx.app.lease import DEFAULT_TTL
from loopx.cli.context import working_directory
from loopx.cli.declare import DURATION, NUMBER, NumberType, Parameter, flag, option, parameters_of
from loopx.cli.todo.add import command_words
from loopx.cli.typed import capability_names
from loopx.core.errors import UsageError
from loopx.core.instant import SECOND, format_duration
from loopx.team.chat.settings import MODEL
from loopx.team.idle import MOST_POLLS, POLL_INTERVAL, IdlePolicy
from loopx.team.recipe import RECIPES, SHELL, command_of, resolved
from loopx.team.worker import WorkerPolicy

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopx.core.instant import Duration
    from loopx.team.chat.spawn import Spawn
    from loopx.team.recipe import Recipe
    from loopx.team.runner import Runner
    from loopx.team.seat import Seat

F = TypeVar("F", bound="Callable[..., Any]")
LEAST_TTL: Duration = SECOND  # a heartbeat every third of it must stay far from a busy loop
LEAST_INTERVAL: Duration = 100_000  # microseconds; looking more often finds nothing more

_OPTIONS = (
    option("--exec", "program", metavar="CMD", help="The program of each run, split into words without a shell."),
    option("--recipe", metavar="NAME", help=f"How a known program takes its prompt: {', '.join(RECIPES)}."),
    option("--model", metavar="NAME", help="A chat model with tools, over an OpenAI-compatible endpoint."),
    flag("--complete-on-success", help="Exit 0 completes the todo; without it only an explicit completion does."),
    flag("--worktree", help="Work in a linked git worktree of its own; the only option that writes your git."),
    option("--lease-ttl", type=DURATION, default=DEFAULT_TTL, help="How long a lease lasts unless renewed (15m)."),
    option("--timeout", type=DURATION, help="Stop a run that takes longer; otherwise it may take as long as it likes."),
    option("--grace", type=DURATION, default=10 * SECOND, help="Between asking a run to end and killing it (10s)."),
    option("--poll-interval", type=DURATION, default=POLL_INTERVAL, help="How long one idle poll lasts (5s)."),
    option("--idle-polls", type=NumberType(1, 1_000_000), default=MOST_POLLS, help="Polls to an idle timeout (12)."),
    option("--available-capability", multiple=True, metavar="NAME", help="What this worker can do."),
    option("--allow", multiple=True, metavar="TOOL[:GLOB]", help="What a model may do without asking."),
    option("--ask", multiple=True, metavar="TOOL[:GLOB]", help="What a model must ask for on the terminal."),
    option("--deny", multiple=True, metavar="TOOL[:GLOB]", help="What a model may not do."),
)
_NAMES = (
    "program", "recipe", "model", "complete_on_success", "worktree", "lease_ttl", "timeout", "grace",
    "poll_interval", "idle_polls", "available_capability", "allow", "ask", "deny",
)  # fmt: skip


class Given:
    """The worker that the options describe."""

    def __init__(self, options: dict[str, Any]) -> None:
        self._options = options
        if options["lease_ttl"] < LEAST_TTL:
            raise UsageError("a worker's lease lasts at least 1s", hint="Give --lease-ttl 1s or more.")
        if options["poll_interval"] < LEAST_INTERVAL:
            raise UsageError("polling more often than every 100ms is a busy loop", hint="Give --poll-interval 1s.")

    @property
    def ttl(self) -> Duration:
        return int(self._options["lease_ttl"])

    @property
    def uses_worktree(self) -> bool:
        return bool(self._options["worktree"])

    @property
    def capabilities(self) -> tuple[str, ...] | None:
        return capability_names(self._options["available_capability"])

    def policy(self, **more: Any) -> WorkerPolicy:
        """How the worker works and ends."""
        options = self._options
        return WorkerPolicy(
            complete_on_success=options["complete_on_success"],
            timeout=options["timeout"],
            grace=options["grace"],
            idle=IdlePolicy(interval=options["poll_interval"], most_polls=options["idle_polls"]),
            **more,
        )

    def runner(self, spawn: Spawn | None = None) -> Callable[[Seat, str], Runner]:
        """How the worker's runner is made; UsageError, and what a chat model is missing, before anything is opened."""
        options = self._options
        is_command = options["program"] is not None or options["recipe"] is not None
        model = options["model"] or (None if is_command else os.environ.get(MODEL)) or None
        if is_command == (model is not None):
            raise UsageError(
                "a worker runs one thing, a program or a model" if is_command else "nothing to run was named",
                hint="Give a program with --exec, a --recipe, or a --model.",
            )
        rules = {name: options[name] for name in ("allow", "ask", "deny")}
        if is_command:
            if any(rules.values()):
                raise UsageError(
                    "--allow, --ask and --deny are about the tools of a chat model",
                    hint="A program has rules of its own; leave them out.",
                )
            return command_maker(options["recipe"], options["program"], options["grace"])
        from loopx.team.chat.compose import chat_runner_maker

        return chat_runner_maker(model, os.environ, **rules, spawn=spawn)

    def words(self) -> list[str]:
        """The same options for another call."""
        words: list[str] = []
        for parameter in parameters_of(_declared):
            value = self._options[parameter.dest]
            if value in (None, False, ()):
                continue
            for one in value if isinstance(value, tuple) else (value,):
                words += [parameter.names[0], *_spelt(parameter, one)]
        return words


def _spelt(parameter: Parameter, value: Any) -> tuple[str, ...]:
    if value is True:
        return ()
    return (format_duration(value) if parameter.type is DURATION else str(value),)


def command_maker(recipe: str | None, line: str | None, grace: Duration) -> Callable[[Seat, str], Runner]:
    """How the runner of that command is made; UsageError."""
    from loopx.team.command import CommandRunner

    command = recipe_of(recipe, line)
    return lambda _seat, folder: CommandRunner(command, environment=os.environ, folder=folder, grace=grace)


def recipe_of(name: str | None, line: str | None) -> Recipe:
    """The command of a recipe and a command line, with a relative program path made absolute. UsageError."""
    words = command_words(line) or () if name != SHELL else ()
    recipe = command_of(name, line, words)
    return replace(recipe, argv=resolved(recipe.argv, working_directory() or os.sep))


def worker_options(function: F) -> F:
    """All of these, delivered as `given`."""

    @wraps(function)
    def run(*args: Any, **parameters: Any) -> Any:
        options = {name: parameters.pop(name) for name in _NAMES}
        return function(*args, given=Given(options), **parameters)

    for declared in reversed(_OPTIONS):
        run = declared(run)
    return run  # type: ignore[return-value]


@worker_options
def _declared(given: Given) -> None: ...


def count_option(name: str, text: str) -> Callable[[F], F]:
    """An option for how many, at least one."""
    return option(name, type=NumberType(1, 1_000_000), metavar=NUMBER.name, help=text)
