"""`status --watch`: the status again whenever it is another one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.wait import state_mark
from loopx.core.errors import UsageError
from loopx.core.instant import MILLISECOND, SECOND, Duration, format_duration
from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from loopx.app.mutation import Document
    from loopx.app.project import Project
    from loopx.ports import Sleeper

LEAST_INTERVAL: Duration = 100 * MILLISECOND  # looking more often tells nobody more and keeps a core awake
DEFAULT_INTERVAL: Duration = SECOND
REREAD: Duration = 5 * SECOND  # no mark moves when a lease ends or a claim goes stale: time alone does that


class Watch(Value):
    """How often the change mark is looked at, and for how long in all (None: until interrupted)."""

    interval: Duration = DEFAULT_INTERVAL
    limit: Duration | None = None


def checked_watch(interval: Duration | None, limit: Duration | None) -> Watch:
    """The watch; UsageError for an interval that would be a busy loop."""
    if interval is not None and interval < LEAST_INTERVAL:
        raise UsageError(
            f"an interval of {format_duration(interval)} would be a busy loop",
            hint=f"Look at most every {format_duration(LEAST_INTERVAL)}.",
        )
    return Watch(interval or DEFAULT_INTERVAL, limit)


def watch_document(
    project: Project, read: Callable[[], Document], watch: Watch, *, sleeper: Sleeper
) -> Iterator[Document]:
    """What is read now, and each later answer that differs; it is read only where something may have changed."""
    mark, unread, left = state_mark(project), 0, watch.limit
    shown = read()
    yield dict(shown)
    while left is None or left > 0:
        nap = watch.interval if left is None else min(watch.interval, left)
        sleeper.sleep(nap)
        unread += nap
        left = None if left is None else left - nap
        seen = state_mark(project)
        if seen == mark and unread < REREAD:
            continue
        mark, unread = seen, 0
        document = read()
        if document != shown:
            shown = document
            yield dict(shown)
