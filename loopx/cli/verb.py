"""A command is its options, then a function that returns the document to show."""

from __future__ import annotations

from functools import cache, wraps
from typing import TYPE_CHECKING, Any, TypeVar

from loopx.cli.declare import TEXT, Command, Group, Parameter, argument, flag, option, parameters_of
from loopx.cli.shared import shared_parameters, subject_parameters
from loopx.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

F = TypeVar("F", bound="Callable[..., Any]")


def verb(
    name: str, *, example: str, mutates: bool = False, subject: bool = False
) -> Callable[[Callable[..., dict[str, Any] | None]], Command]:
    """Make a command of a function `(invocation, **parameters) -> document`, or None once it has shown all itself.

    `mutates` adds what every mutation takes; `subject` leaves `--agent-id` to the command itself.
    """

    def declare(handler: Callable[..., dict[str, Any] | None]) -> Command:
        everywhere = subject_parameters() if subject else shared_parameters()
        return Command(
            name=name,
            handler=handler,
            parameters=parameters_of(handler) + (mutation_parameters() if mutates else ()) + everywhere,
            help=handler.__doc__ or "",
            example=example,
        )

    return declare


def family(name: str, text: str, members: Mapping[str, tuple[str, str]], *, example: str) -> Group:
    """A group of lazily imported commands."""
    return Group(name=name, help=text, members=members, example=example)


@cache
def mutation_parameters() -> tuple[Parameter, ...]:
    """`--operation-id`, `--reason`, `--dry-run`, `--as-user`, `--full`."""

    @option(
        "--operation-id",
        "--idempotency-key",
        "operation_id",
        metavar="ID",
        kept=True,
        help="Makes a retry of this call safe.",
    )
    @option("--reason", type=TEXT, metavar="TEXT", kept=True, help="Why; kept in the event.")
    @flag("--dry-run", default=None, kept=True, help="The answer it would give; nothing is written.")
    @flag("--as-user", default=None, kept=True, help="A person acts on held work; needs --reason.")
    @flag("--full", default=None, kept=True, help="Answer with the whole todo.")
    def declared() -> None: ...

    return parameters_of(declared)


def held_work_options(function: F) -> F:
    """`--claim-token` and `--authority-reason`, for verbs on work that somebody may hold."""
    token = option("--claim-token", metavar="TOKEN", kept=True, help="The token of the live lease.")
    authority = option("--authority-reason", type=TEXT, metavar="TEXT", kept=True, help="Why a grant is used.")
    return token(authority(function))


def todo_id_option(function: F) -> F:
    """The todo's id, positional or as `--todo-id`; delivered as `todo_id`."""

    @wraps(function)
    def run(*args: Any, todo_id: str | None, todo_id_option: str | None, **parameters: Any) -> Any:
        given = [value for value in (todo_id, todo_id_option) if value is not None]
        if not given:
            raise UsageError("no todo was named", hint="Give its id, positionally or as --todo-id.")
        if len(set(given)) > 1:
            raise UsageError("two different todos were named", hint="Give the id once.")
        return function(*args, todo_id=given[0], **parameters)

    named = option("--todo-id", "todo_id_option", metavar="ID", help="The todo (an id or a unique prefix).")
    standing = argument("todo_id", required=False, metavar="[ID]")
    return standing(named(run))  # type: ignore[return-value]
