"""Text that comes from standard input or a file, and names that are compared with stored ones."""

from __future__ import annotations

import sys

from loopx.core.errors import TextInvalidError, UsageError


def read_stdin() -> str:
    """Standard input as UTF-8; TextInvalidError where it is not."""
    return decoded(sys.stdin.buffer.read(), "standard input")


def read_file(path: str) -> str:
    """The file as UTF-8; UsageError where it cannot be read, TextInvalidError where it is not UTF-8."""
    try:
        with open(path, "rb") as file:
            return decoded(file.read(), path)
    except OSError as exc:
        raise UsageError(f"{path} cannot be read: {exc.strerror}", hint="Name a readable file.") from exc


def capability_names(given: tuple[str, ...]) -> tuple[str, ...] | None:
    """What the call says it can do, in the one spelling of names; None where it says nothing. UsageError."""
    from loopx.core.name import normalise_name

    return tuple(normalise_name(name, what="capability") for name in given) or None


def decoded(data: bytes, source: str) -> str:
    """The text of UTF-8 bytes without a byte order mark and without one final line end."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        raise TextInvalidError(f"{source} is not UTF-8 (byte {exc.start})", hint="Convert it to UTF-8 first.") from exc
    return text.removesuffix("\n").removesuffix("\r")
