"""Groups that import a command only when it is called, and the options that every level takes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, TypeVar

import click

from loopx.settings import FORMATS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from click.shell_completion import CompletionItem

    from loopx.cli.context import Invocation

F = TypeVar("F", bound="Callable[..., Any]")


class LazyGroup(click.Group):
    """A group whose members are `name: (module, one line of help)`; the module's `cli` is the command."""

    def __init__(self, *args: Any, members: Mapping[str, tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.members = dict(members)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.members)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.members:
            return None
        module = self.members[cmd_name][0]
        __import__(module)
        command: click.Command = sys.modules[module].cli
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in self.members.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The members, told without importing them, and the options of the group."""
        from click.shell_completion import CompletionItem

        names = [
            CompletionItem(name, help=text) for name, (_, text) in self.members.items() if name.startswith(incomplete)
        ]
        return names + click.Command.shell_complete(self, ctx, incomplete)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        is_unknown = bool(args) and args[0] not in self.members and not args[0].startswith("-")
        if is_unknown and not ctx.resilient_parsing:  # completion parses what is not finished yet
            raise UnknownCommandError(args[0], tuple(self.members), ctx)
        return super().resolve_command(ctx, args)


class UnknownCommandError(click.UsageError):
    """A command name that is not known; the nearest one is offered."""

    def __init__(self, name: str, known: tuple[str, ...], ctx: click.Context) -> None:
        super().__init__(f"No such command {name!r}.", ctx)
        self.name = name
        self.known = known


def _remember(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    """Keep the value for the whole call; the innermost level that gives one wins."""
    if value is not None and value != ():
        invocation: Invocation = ctx.find_root().obj
        assert param.name is not None
        invocation.options[param.name] = value


def kept_option(*names: str, **attributes: Any) -> Callable[[Any], Any]:
    """An option that is not a parameter of the command but part of the call."""
    return click.option(*names, expose_value=False, callback=_remember, **attributes)


def _flag(*names: str, **attributes: Any) -> Callable[[Any], Any]:
    return kept_option(*names, is_flag=True, flag_value=True, default=None, **attributes)


_FORMAT = kept_option("--format", type=click.Choice(FORMATS), help="Text for people or one JSON document.")
_PROJECT = kept_option("--project", metavar="DIR", help="The project folder; otherwise found by walking up.")
_AGENT = kept_option("--agent-id", metavar="ID", help="Who acts.")
_GOAL = kept_option("--goal-id", metavar="ID", help="The goal; may be left out when there is one.")


def shared_options(function: F) -> F:
    """`--format`, `--project`, `--agent-id`, `--goal-id`, before or after the subcommand."""
    return _FORMAT(_PROJECT(_AGENT(_GOAL(function))))  # type: ignore[no-any-return]


def subject_options(function: F) -> F:
    """The same for commands where `--agent-id` is the subject and declared by the command itself."""
    return _FORMAT(_PROJECT(_GOAL(function)))  # type: ignore[no-any-return]
