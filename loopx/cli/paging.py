"""`--limit` and `--cursor`, delivered as one page."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

from loopx.app.page import DEFAULT_LIMIT, checked_page
from loopx.cli.declare import NUMBER, option

if TYPE_CHECKING:
    from collections.abc import Callable

F = TypeVar("F", bound="Callable[..., Any]")


def page_options(function: F) -> F:
    """The page of a list, as the parameter `page`."""

    @wraps(function)
    def run(*args: Any, limit: int, cursor: str | None, **parameters: Any) -> Any:
        return function(*args, page=checked_page(limit, cursor), **parameters)

    limit = option("--limit", type=NUMBER, default=DEFAULT_LIMIT, help=f"At most this many ({DEFAULT_LIMIT}).")
    cursor = option("--cursor", metavar="CURSOR", help="The next_cursor of the page before.")
    return limit(cursor(run))  # type: ignore[return-value]
