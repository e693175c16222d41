"""The declarations as click commands: for help, completion and every call that is not plain."""

from __future__ import annotations

import inspect
from contextlib import redirect_stdout
from io import BytesIO, TextIOWrapper
from typing import TYPE_CHECKING, Any

import click

from loopx import __version__
from loopx.cli.declare import BadValueError, Command, Group, Kind, Parameter
from loopx.cli.output import write_text
from loopx.cli.parse import Parsed, load_member
from loopx.cli.shared import shared_parameters
from loopx.cli.usage import UnknownCommandError, usage_error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click.shell_completion import CompletionItem

    from loopx.cli.declare import ValueType

_SETTINGS = {"help_option_names": ["-h", "--help"]}


def click_tree(root: Group) -> click.Group:
    """The whole command line; members are imported when they are asked for."""
    tree = LazyGroup(root)
    click.version_option(__version__, message="loopx %(version)s")(tree)
    return tree


def parse_with_click(root: Group, argv: Sequence[str]) -> Parsed | int:
    """The call, or the exit code of one that only shows something. UsageError for a wrong one."""
    shown = TextIOWrapper(BytesIO(), encoding="utf-8", newline="", write_through=True)
    try:
        with redirect_stdout(shown):  # it leaves like every other answer, whatever the stream is
            result = click_tree(root).main(args=list(argv), prog_name=root.name, standalone_mode=False, obj={})
    except click.exceptions.Exit as exc:
        return exc.exit_code
    except click.ClickException as exc:
        raise usage_error(exc) from exc
    finally:
        shown.seek(0)
        if text := shown.read():
            write_text(text)
    return result if isinstance(result, Parsed) else 0


class LazyGroup(click.Group):
    """A group of the declarations."""

    def __init__(self, group: Group) -> None:
        super().__init__(
            name=group.name,
            help=group.help,
            epilog=f"Example: {group.example}",
            params=[_parameter(declared) for declared in shared_parameters()],
            context_settings=_SETTINGS,
        )
        self.declared = group

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.declared.members)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        member = load_member(self.declared, cmd_name)
        if member is None:
            return None
        return click_command(member) if isinstance(member, Command) else LazyGroup(member)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The members, told without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in self.declared.members.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The members, told without importing them, and the options of the group."""
        from click.shell_completion import CompletionItem

        members = self.declared.members.items()
        names = [CompletionItem(name, help=text) for name, (_, text) in members if name.startswith(incomplete)]
        return names + click.Command.shell_complete(self, ctx, incomplete)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        is_unknown = bool(args) and args[0] not in self.declared.members and not args[0].startswith("-")
        if is_unknown and not ctx.resilient_parsing:  # completion parses what is not finished yet
            raise UnknownCommandError(args[0], tuple(self.declared.members), ctx)
        return super().resolve_command(ctx, args)


def click_command(command: Command) -> click.Command:
    """The click command of a declaration; running it only collects what was given."""

    def collect(**parameters: Any) -> Parsed:
        kept: dict[str, Any] = click.get_current_context().find_root().obj
        return Parsed(command, parameters, dict(kept))

    return click.Command(
        command.name,
        callback=collect,
        params=[_parameter(declared) for declared in command.parameters],
        help=inspect.cleandoc(command.help),
        epilog=f"Example: {command.example}",
        context_settings=_SETTINGS,
    )


def _parameter(declared: Parameter) -> click.Parameter:
    if declared.kind is Kind.ARGUMENT:
        return click.Argument(
            [declared.dest], type=_Converter(declared.type), required=declared.required, metavar=declared.metavar
        )
    attributes: dict[str, Any] = {"help": declared.help}
    if not declared.required:  # click takes a stated default, None too, for a value that was given
        attributes["default"] = declared.default
    if declared.kept:
        attributes |= {"expose_value": False, "callback": _remember}
    if declared.kind is Kind.FLAG:
        return click.Option(_flag_spelling(declared), is_flag=True, **attributes)
    return click.Option(
        [declared.dest, *declared.names],
        type=_Converter(declared.type),
        multiple=declared.multiple,
        required=declared.required,
        metavar=declared.metavar,
        **attributes,
    )


def _flag_spelling(declared: Parameter) -> list[str]:
    if declared.off_names:
        return [declared.dest, f"{declared.names[0]}/{declared.off_names[0]}"]
    return [declared.dest, *declared.names]


def _remember(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    """Keep the value for the whole call; the innermost level that gives one wins."""
    source = ctx.get_parameter_source(param.name or "")
    if source is click.core.ParameterSource.COMMANDLINE:
        ctx.find_root().obj[param.name] = value


class _Converter(click.ParamType):  # type: ignore[type-arg]  # generic only in the newest click
    """A declared type in click's clothes."""

    def __init__(self, declared: ValueType) -> None:
        self.declared = declared
        self.name = "|".join(declared.choices) or declared.name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return self.declared.convert(value)
        except BadValueError as exc:
            self.fail(str(exc), param, ctx)

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str | None:
        return f"[{self.name}]" if self.declared.choices else self.name

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The closed set's texts that begin like this."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(choice) for choice in self.declared.choices if choice.startswith(incomplete)]
