"""`loopx status`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.status import read_status
from loopx.cli.declare import DURATION, flag, option
from loopx.cli.paging import page_options
from loopx.cli.verb import verb
from loopx.core.errors import UsageError

if TYPE_CHECKING:
    from loopx.app.page import Page
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("status", example="loopx status --goal-id ship")
@flag("--watch", help="Show it again whenever it changes, until interrupted; in text only.")
@option("--interval", type=DURATION, help="How often --watch looks for a change (1s).")
@option("--for", "limit_us", type=DURATION, help="How long --watch goes on; otherwise until interrupted.")
@page_options
def cli(invocation: Invocation, page: Page, watch: bool, interval: int | None, limit_us: int | None) -> Document | None:
    """Counts, who is on what, open gates, unmet criteria, and what is missing for closure."""
    if watch:
        _watch(invocation, page, interval, limit_us)
        return None
    if interval is not None or limit_us is not None:
        raise UsageError("--interval and --for belong to --watch", hint="Add --watch, or leave them out.")
    return read_status(invocation.project(), invocation.goal_id, page)


def _watch(invocation: Invocation, page: Page, interval: int | None, limit_us: int | None) -> None:
    """Show every status as it comes: in place on a terminal, one under the other where it is piped."""
    if invocation.is_json:
        raise UsageError(
            "--watch shows one status after the other; JSON mode answers with one document",
            hint="Ask again in a loop, or wait for work with `quota should-run --wait`.",
        )
    import gc

    from loopx.app.watch import checked_watch, watch_status
    from loopx.cli.output import emit, is_terminal, write_text
    from loopx.core.instant import format_instant

    gc.enable()  # a watch lives long; the entry point turned collecting off for calls that do not
    watch = checked_watch(interval, limit_us)
    project, clock = invocation.project(), invocation.real_ports().clock
    clear = "\x1b[H\x1b[2J" if is_terminal() else ""
    for document in watch_status(project, invocation.goal_id, page, watch, sleeper=invocation.sleeper()):
        write_text(f"{clear}{format_instant(clock.now())}")
        emit(invocation, document)
