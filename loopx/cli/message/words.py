"""`--text` and `--text-file`, delivered as one text."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

from loopx.cli.declare import TEXT, option
from loopx.cli.todo.add import typed_text
from loopx.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

F = TypeVar("F", bound="Callable[..., Any]")


def words_options(function: F) -> F:
    """The words of a message or plan, as the parameter `text`."""

    @wraps(function)
    def run(*args: Any, text: str | None, text_file: str | None, **parameters: Any) -> Any:
        typed = typed_text(text, text_file)
        if typed is None:
            raise UsageError("no text was given", hint="Give the words with --text, or a file with --text-file.")
        return function(*args, text=typed, **parameters)

    words = option("--text", type=TEXT, help="The words, kept as they are; `-` reads standard input.")
    file = option("--text-file", metavar="FILE", help="Read the words from a file.")
    return words(file(run))  # type: ignore[return-value]
