"""Times as a Python caller has them: `timedelta` and `datetime`, or the texts of the command line."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, overload

from loopx.core.instant import parse_duration

if TYPE_CHECKING:
    from loopx.core.instant import Duration

Span = timedelta | str  # whole milliseconds; `15m` as on the command line
Moment = datetime | str  # with a zone; RFC 3339 or `in:DUR` as on the command line


@overload
def microseconds(span: Span) -> Duration: ...
@overload
def microseconds(span: None) -> None: ...
def microseconds(span: Span | None) -> Duration | None:
    """The duration inside; UsageError for a text that is none, and for one of 0 or less or over 366 days."""
    if isinstance(span, timedelta):
        span = f"{span // timedelta(milliseconds=1)}ms"
    return None if span is None else parse_duration(span)


def time_text(moment: Moment | None) -> str | None:
    """The instant as the use cases read it. A `datetime` without a zone is refused there, like its text."""
    return moment.isoformat() if isinstance(moment, datetime) else moment
