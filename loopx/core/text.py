"""What people and agents write: accepted as it is, cut only for display, read only for `[Pn]`."""

from __future__ import annotations

from loopx.core.errors import TextInvalidError, UsageError

BRIEF_BYTES = 160  # a brief todo's text, so that answers stay within 1,200 bytes
CUT_MARK = "…"
_DIGITS = 19  # of the largest number that SQLite holds
TEXT_LIMIT_BYTES = 1_000_000  # far above any real text; keeps one row from filling the disk


def checked_text(text: str, *, field: str) -> str:
    """The text unchanged, or a refusal: NUL, lone surrogates, only white space, or too long."""
    if "\x00" in text:
        raise TextInvalidError(f"{field} holds a NUL character", hint="Remove the NUL character.", field=field)
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError as exc:
        raise TextInvalidError(
            f"{field} holds a lone surrogate at position {exc.start}",
            hint="Send the text as valid UTF-8.",
            field=field,
        ) from exc
    if not text.strip():
        raise UsageError(f"{field} is empty or white space only", hint=f"Give {field} some words.", field=field)
    if size > TEXT_LIMIT_BYTES:
        raise TextInvalidError(
            f"{field} has {size} bytes; the limit is {TEXT_LIMIT_BYTES}",
            hint="Keep the long version in a file and name it here.",
            field=field,
        )
    return text


def cut(text: str, limit_bytes: int) -> tuple[str, bool]:
    """At most `limit_bytes` of UTF-8 on a character boundary, and whether anything was cut."""
    data = text.encode("utf-8")
    if len(data) <= limit_bytes:
        return text, False
    room = limit_bytes - len(CUT_MARK.encode("utf-8"))
    return data[:room].decode("utf-8", "ignore") + CUT_MARK, True


def first_line(text: str) -> str:
    """The text up to its first line end."""
    return text.split("\n", 1)[0]


def tagged_priority(text: str) -> int | None:
    """The n of a leading `[Pn]` with n from 0 to 4, or None (W1.5)."""
    head = text.lstrip()[:4]
    if len(head) == 4 and head[:2] == "[P" and head[2] in "01234" and head[3] == "]":
        return int(head[2])
    return None


def with_priority_tag(text: str, priority: int) -> str:
    """The text with its leading `[Pn]` rewritten; a text without one is returned as it is."""
    if tagged_priority(text) is None:
        return text
    at = text.index("[P")
    return f"{text[:at]}[P{priority}]{text[at + 4 :]}"


def parse_priority(value: str) -> int:
    """0…4 of `P0`…`P4` (case does not matter); UsageError otherwise."""
    name = value.strip().upper()
    if len(name) == 2 and name[0] == "P" and name[1] in "01234":
        return int(name[1])
    raise UsageError(f"{value!r} is not a priority", hint="A priority is P0, P1, P2, P3 or P4.", value=value)


def natural_number(text: str) -> int | None:
    """The number that ASCII digits spell; None for anything else, and for more digits than SQLite holds."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < _DIGITS else None
