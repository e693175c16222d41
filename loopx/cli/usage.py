"""Usage errors of click as ours, with the nearest name where one is near."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from loopx.core.errors import UsageError
from loopx.core.name import near_match

if TYPE_CHECKING:
    from collections.abc import Sequence


class UnknownCommandError(click.UsageError):
    """A command name that is not known; the nearest one is offered."""

    def __init__(self, name: str, known: tuple[str, ...], ctx: click.Context) -> None:
        super().__init__(f"No such command {name!r}.", ctx)
        self.name = name
        self.known = known


def usage_error(exc: click.ClickException) -> UsageError:
    """The `usage` refusal that a parser error means."""
    message = exc.format_message()
    return UsageError(message[:1].lower() + message[1:].rstrip("."), hint=_hint(exc))


def _hint(exc: click.ClickException) -> str:
    context = exc.ctx if isinstance(exc, click.UsageError) else None
    path = context.command_path if context else "loopx"
    nearest = _nearest(exc, context)
    if nearest:
        return f"Did you mean {nearest}? `{path} --help` lists what it takes."
    return f"`{path} --help` lists what it takes."


def _nearest(exc: click.ClickException, context: click.Context | None) -> str | None:
    if isinstance(exc, UnknownCommandError):
        return near_match(exc.name, exc.known)
    if isinstance(exc, click.NoSuchOption) and context is not None:
        return near_match(exc.option_name, _options_of(context))
    return None


def _options_of(context: click.Context) -> Sequence[str]:
    return [name for param in context.command.get_params(context) for name in param.opts]
