"""How a command is declared: its options, then a function that returns the document to show."""

from __future__ import annotations

import sys
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

from loopx.cli.context import Invocation
from loopx.cli.lazy import LazyGroup, _flag, kept_option, shared_options, subject_options
from loopx.cli.output import emit
from loopx.core.errors import TextInvalidError, UsageError
from loopx.core.instant import parse_duration

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

F = TypeVar("F", bound="Callable[..., Any]")
Handler = "Callable[..., dict[str, Any]]"


def verb(
    name: str, *, example: str, mutates: bool = False, subject: bool = False
) -> Callable[[Callable[..., dict[str, Any]]], click.Command]:
    """Make a command of a function `(invocation, **parameters) -> document`.

    `mutates` adds what every mutation takes; `subject` leaves `--agent-id` to the command itself.
    """

    def declare(handler: Callable[..., dict[str, Any]]) -> click.Command:
        @wraps(handler)
        def run(**parameters: Any) -> int:
            invocation: Invocation = click.get_current_context().find_root().obj
            document = handler(invocation, **parameters)
            exit_code = int(document.pop("_exit_code", 0))
            emit(invocation, document)
            return exit_code

        function: Callable[..., Any] = subject_options(run) if subject else shared_options(run)
        if mutates:
            function = mutation_options(function)
        settings = {"help_option_names": ["-h", "--help"]}
        return click.command(name, epilog=f"Example: {example}", context_settings=settings)(function)

    return declare


def family(name: str, text: str, members: Mapping[str, tuple[str, str]], *, example: str) -> click.Group:
    """A group of lazily imported commands."""

    @click.group(name, cls=LazyGroup, members=members, help=text, epilog=f"Example: {example}")
    @shared_options
    def group() -> None:
        pass

    return group


_OPERATION = kept_option(
    "--operation-id",
    "--idempotency-key",
    "operation_id",
    metavar="ID",
    help="Makes a retry of this call safe.",
)
_DRY_RUN = _flag("--dry-run", help="The answer it would give; nothing is written.")
_AS_USER = _flag("--as-user", help="A person acts on held work; needs --reason.")
_FULL = _flag("--full", help="Answer with the whole todo.")


def mutation_options(function: F) -> F:
    """`--operation-id`, `--reason`, `--dry-run`, `--as-user`, `--full`."""
    reason = kept_option("--reason", type=TEXT, metavar="TEXT", help="Why; kept in the event.")
    return _OPERATION(reason(_DRY_RUN(_AS_USER(_FULL(function)))))  # type: ignore[no-any-return]


def held_work_options(function: F) -> F:
    """`--claim-token` and `--authority-reason`, for verbs on work that somebody may hold."""
    token = kept_option("--claim-token", metavar="TOKEN", help="The token of the live lease.")
    authority = kept_option("--authority-reason", type=TEXT, metavar="TEXT", help="Why a grant is used.")
    return token(authority(function))  # type: ignore[no-any-return]


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

    option = click.option("--todo-id", "todo_id_option", metavar="ID", help="The todo (an id or a unique prefix).")
    return click.argument("todo_id", required=False, metavar="[ID]")(option(run))  # type: ignore[return-value]


class DurationType(click.ParamType):  # type: ignore[type-arg]  # generic only in the newest click
    """An integer with `ms|s|m|h|d`, delivered as microseconds."""

    name = "DUR"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        return value if isinstance(value, int) else parse_duration(value)


class TextType(click.ParamType):  # type: ignore[type-arg]
    """A text, or `-` for standard input (of which one final line end is dropped)."""

    name = "TEXT"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return read_stdin() if value == "-" else str(value)


class ChoiceType(click.Choice):  # type: ignore[type-arg]
    """A closed set of names, delivered as its member; a misspelt one is refused with the nearest."""

    def __init__(self, members: Iterable[str]) -> None:
        self.members = {str(member): member for member in members}
        super().__init__(list(self.members))

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value in self.members:
            return self.members[value]
        from loopx.core.name import near_match

        near = near_match(str(value), self.members)
        suggestion = f" Did you mean {near!r}?" if near else ""
        self.fail(f"{value!r} is not one of {', '.join(self.members)}.{suggestion}", param, ctx)


DURATION = DurationType()
TEXT = TextType()


def read_stdin() -> str:
    """Standard input as UTF-8; TextInvalidError where it is not."""
    return decoded(sys.stdin.buffer.read(), "standard input")


def read_file(path: str) -> str:
    """The file as UTF-8; UsageError where it cannot be read, TextInvalidError where it is not UTF-8."""
    try:
        with open(path, "rb") as file:
            return decoded(file.read(), path)
    except OSError as exc:
        raise UsageError(f"{path} cannot be read: {exc.strerror}", hint="Name a readable file.") from exc


def decoded(data: bytes, source: str) -> str:
    """The text of UTF-8 bytes without a byte order mark and without one final line end."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        raise TextInvalidError(f"{source} is not UTF-8 (byte {exc.start})", hint="Convert it to UTF-8 first.") from exc
    return text.removesuffix("\n").removesuffix("\r")
