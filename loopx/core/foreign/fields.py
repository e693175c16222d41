"""The forms in which tools write ids, texts and dates, each read into our one form."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from loopx.core.errors import LoopxError
from loopx.core.text import TEXT_LIMIT_BYTES, checked_text

if TYPE_CHECKING:
    from loopx.core.instant import Instant

LONGEST_ID = 300  # characters
_LARGEST_ID = 10**18  # a whole number above it was never counted
_LONGEST_DATE = 40  # characters
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FRACTION_DIGITS = 6  # what a microsecond has; further digits are cut


def text_of(title: str, body: str | None = None) -> str:
    """The text of a todo: the title on the first line, an empty line, the body; line ends as we write them."""
    head = " ".join(title.split("\n")).strip()
    rest = (body or "").replace("\r\n", "\n").replace("\r", "\n").strip("\n").rstrip()
    return f"{head}\n\n{rest}" if head and rest else head or rest


def text_fault(text: str) -> tuple[str, str] | None:
    """Why a text cannot be a todo's, as reason code and message: empty, too long, or not to be stored."""
    if not text.strip():
        return "text_empty", "it has no title and no text"
    try:
        checked_text(text, field="the text")
    except LoopxError as exc:
        is_long = len(text.encode("utf-8", "replace")) > TEXT_LIMIT_BYTES
        return ("text_too_long", "the text is longer than a todo may be") if is_long else ("text_invalid", exc.message)
    return None


def id_of(value: object) -> str | None:
    """An id in one spelling, of a text or a whole number; None for what is none (true, 1.5, "", a list)."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return str(value) if abs(value) < _LARGEST_ID else None
    if not isinstance(value, str):
        return None
    text = value.strip()
    return text if 0 < len(text) <= LONGEST_ID and text.isprintable() else None


def texts_of(value: object) -> tuple[str, ...]:
    """The texts of a list, or the one text; everything else is left out."""
    if isinstance(value, str):
        return (value,)
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()


def instant_of(value: object) -> Instant | None:
    """The instant of a date as tools write it, or None where it is none.

    With or without a time, `T` or a space between, up to nine digits of fraction, `Z`, an offset, or no
    zone at all, which means UTC.
    """
    if not isinstance(value, str):
        return None
    text = value.strip().upper().replace(" ", "T", 1)
    if len(text) > _LONGEST_DATE or text[4:5] != "-" or text[7:8] != "-":
        return None
    try:
        moment = datetime.fromisoformat(_microseconds(text))
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return (moment - _EPOCH) // timedelta(microseconds=1)


def _microseconds(text: str) -> str:
    """The text with at most six digits of fraction."""
    head, point, rest = text.partition(".")
    digits = len(rest) - len(rest.lstrip("0123456789"))
    return f"{head}{point}{rest[: min(digits, _FRACTION_DIGITS)]}{rest[digits:]}"
