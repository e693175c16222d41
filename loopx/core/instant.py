"""Instants and durations as integer microseconds; their spellings exist only at the edges.

One integer type runs from SQL through the rules to the wire codec, so nothing is converted
twice and two instants compare exactly (docs/decisions/0002-integer-microseconds.md).
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from loopx.core.errors import UsageError

Instant = int  # microseconds since 1970-01-01T00:00:00Z
Duration = int  # microseconds

MILLISECOND: Duration = 1_000
SECOND: Duration = 1_000_000
MINUTE: Duration = 60 * SECOND
HOUR: Duration = 60 * MINUTE
DAY: Duration = 24 * HOUR
LONGEST: Duration = 366 * DAY  # longer than any lease or window that is meant seriously

_UNITS = {"ms": MILLISECOND, "s": SECOND, "m": MINUTE, "h": HOUR, "d": DAY}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH_IN_UTC = _EPOCH.replace(tzinfo=None)  # spelled without an offset
_FORM = "an integer with ms, s, m, h or d, more than 0 and at most 366d, such as 15m"


def parse_duration(text: str) -> Duration:
    """Microseconds of `15m`, `500ms`, `2d`; UsageError for any other form."""
    digits = text.rstrip("abcdefghijklmnopqrstuvwxyz")
    unit = _UNITS.get(text[len(digits) :])
    if unit is None or not (digits.isascii() and digits.isdecimal()) or len(digits) > 15:
        raise UsageError(f"{text!r} is not a duration", hint=f"A duration is {_FORM}.", value=text)
    duration = int(digits) * unit
    if not 0 < duration <= LONGEST:
        raise UsageError(f"the duration {text!r} is out of range", hint=f"A duration is {_FORM}.", value=text)
    return duration


def parse_instant(text: str, *, now: Instant) -> Instant:
    """The instant of an RFC 3339 text or of `in:DUR` counted from `now`; UsageError otherwise."""
    if text.startswith("in:"):
        return now + parse_duration(text[3:])
    moment = _moment(text)
    if moment is None:
        raise UsageError(
            f"{text!r} is not a time",
            hint="A time is RFC 3339 with a zone, or in:DUR such as in:24h.",
            value=text,
        )
    return (moment - _EPOCH) // timedelta(microseconds=1)


def _moment(text: str) -> datetime | None:
    """The aware moment of an RFC 3339 text; ISO forms beyond that are not accepted."""
    separators = (text[4:5], text[7:8], text[10:11].upper(), text[13:14], text[16:17])
    if separators != ("-", "-", "T", ":", ":"):
        return None
    try:
        moment = datetime.fromisoformat(text.upper())
        return moment.astimezone(UTC) if moment.tzinfo is not None else None
    except (ValueError, OverflowError):  # the second: in UTC it lies outside the years 1 to 9999
        return None


def format_instant(instant: Instant) -> str:
    """RFC 3339 in UTC with `Z`; the fraction appears only where there is one."""
    return (_EPOCH_IN_UTC + timedelta(microseconds=instant)).isoformat() + "Z"


def format_duration(duration: Duration) -> str:
    """The shortest exact spelling that `parse_duration` reads back (whole milliseconds)."""
    for name in ("d", "h", "m", "s"):
        if duration % _UNITS[name] == 0:
            return f"{duration // _UNITS[name]}{name}"
    return f"{duration // MILLISECOND}ms"
