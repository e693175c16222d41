"""`--watch`: one answer after the other, in text, until it is interrupted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


def refuse_without_watch(interval: int | None, limit_us: int | None) -> None:
    """UsageError for the options of a watch where there is none."""
    if interval is not None or limit_us is not None:
        raise UsageError("--interval and --for belong to --watch", hint="Add --watch, or leave them out.")


def show_each(invocation: Invocation, read: Callable[[], Document], interval: int | None, limit_us: int | None) -> None:
    """Show every answer as it comes: in place on a terminal, one under the other where it is piped."""
    if invocation.is_json:
        raise UsageError(
            "--watch shows one status after the other; JSON mode answers with one document",
            hint="Ask again in a loop, or wait for work with `quota should-run --wait`.",
        )
    import gc

    from loopx.app.watch import checked_watch, watch_document
    from loopx.cli.output import emit, is_terminal, write_text
    from loopx.core.instant import format_instant

    gc.enable()  # a watch lives long; the entry point turned collecting off for calls that do not
    watch = checked_watch(interval, limit_us)
    project, clock = invocation.project(), invocation.real_ports().clock
    clear = "\x1b[H\x1b[2J" if is_terminal() else ""
    for document in watch_document(project, read, watch, sleeper=invocation.sleeper()):
        write_text(f"{clear}{format_instant(clock.now())}")
        emit(invocation, document)
