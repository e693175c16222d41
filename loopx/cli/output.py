"""How an answer leaves: one JSON document, or text; UTF-8 whatever the terminal's code page says."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.core.errors import LoopxError

Document = dict[str, Any]


class OutputLostError(Exception):
    """Standard output takes nothing: it is closed, or its disk is full. What the call did stays done."""


def emit(invocation: Invocation, document: Document) -> None:
    """Write a success document in the format of the call; warnings of text go to standard error."""
    document["warnings"] = [*invocation.warnings, *document.get("warnings", ())]
    if invocation.is_json:
        write_json(document)
        return
    from loopx.render import render

    write_text(render(document, painted=is_terminal()))
    for warning in document["warnings"]:
        write_note(f"warning: {warning}")


def emit_error(invocation: Invocation, error: LoopxError) -> None:
    """Write a refusal: `error_v1` on standard output, or two lines on standard error."""
    if invocation.is_json:
        from loopx.contracts.error_document import error_document

        write_json(error_document(error, invocation.warnings))
        return
    write_note(f"loopx: {error.message} [{error.code}]")
    if error.hint:
        write_note(f"  {error.hint}")


def write_json(document: Document) -> None:
    """One document and a line end: compact when piped, indented on a terminal."""
    indented = is_terminal()
    text = json.dumps(
        document,
        ensure_ascii=False,
        indent=2 if indented else None,
        separators=None if indented else (",", ":"),
    )
    _write(sys.stdout, text + "\n", errors="backslashreplace")


def write_text(text: str) -> None:
    """Text for people, with one line end."""
    _write(sys.stdout, text.rstrip("\n") + "\n", errors="replace")


def write_note(text: str) -> None:
    """A line on standard error; a full or closed one is nobody's failure."""
    with suppress(OutputLostError, OSError, ValueError):
        _write(sys.stderr, text + "\n", errors="backslashreplace")


def is_terminal() -> bool:
    """Whether standard output is one; it may also be closed."""
    return sys.stdout is not None and sys.stdout.isatty()


def _write(stream: Any, text: str, *, errors: str) -> None:
    if stream is None:
        raise OutputLostError("it is closed")
    try:
        _write_bytes(stream, text, errors)
    except BrokenPipeError:
        raise
    except OSError as exc:
        raise OutputLostError(exc.strerror) from exc


def _write_bytes(stream: Any, text: str, errors: str) -> None:
    buffer = getattr(stream, "buffer", None)
    if buffer is None:  # a stream that tests put in place
        stream.write(text)
        return
    stream.flush()
    buffer.write(text.encode("utf-8", errors))
    buffer.flush()
