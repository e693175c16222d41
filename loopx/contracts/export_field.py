"""The fields of an exported record: each read strictly, since a file may come from anywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.core.errors import LoopxError
from loopx.core.instant import parse_instant
from loopx.core.name import normalise_name
from loopx.core.repository import parse_repository
from loopx.core.scope import parse_decision_scope
from loopx.core.text import checked_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from enum import StrEnum

_LONGEST_ID = 60  # characters of an id of ours, and of an instant


class FieldError(Exception):
    """A field of a record cannot be taken; the message says which and why."""


def read_field(name: str, read: Callable[[Any], Any], value: Any) -> Any:
    """What `read` makes of the value; FieldError that names the field."""
    try:
        return read(value)
    except FieldError as exc:
        raise FieldError(f"{name} {exc}") from exc
    except (LoopxError, ValueError, OverflowError) as exc:
        said = exc.message if isinstance(exc, LoopxError) else f"is not one of its values: {value!r}"
        raise FieldError(f"{name}: {said}") from exc


def text_field(value: Any, *, most: int | None = None) -> str:
    """A text that can be stored."""
    if not isinstance(value, str):
        raise FieldError("is no text")
    if most is not None and len(value) > most:
        raise FieldError(f"is longer than {most} characters")
    return checked_text(value, field="it")


def name_field(value: Any, what: str = "name") -> str:
    """A name in its one spelling."""
    name = text_field(value)
    if normalise_name(name, what=what) != name:
        raise FieldError(f"is not in its one spelling ({name!r})")
    return name


def todo_id_field(value: Any) -> str:
    """An id of ours."""
    text = text_field(value, most=_LONGEST_ID)
    if not (text.startswith("todo_") and text[5:].isascii() and text[5:].isalnum() and text == text.lower()):
        raise FieldError(f"is no todo id ({text!r})")
    return text


def scope_field(value: Any) -> str:
    """A decision scope in its one spelling."""
    text = text_field(value)
    if str(parse_decision_scope(text)) != text:
        raise FieldError(f"is not in its one spelling ({text!r})")
    return text


def write_scope_field(value: Any) -> str:
    """A write scope in its one spelling."""
    from loopx.core.glob import normalise_write_scope

    text = text_field(value)
    if normalise_write_scope(text) != text:
        raise FieldError(f"is not in its one spelling ({text!r})")
    return text


def repository_field(value: Any) -> str:
    """A repository in its one spelling."""
    text = text_field(value)
    if parse_repository(text) != text:
        raise FieldError(f"is not in its one spelling ({text!r})")
    return text


def whole_field(value: Any, *, least: int = 0, most: int = 2**53) -> int:
    """A whole number in a range."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise FieldError(f"is no whole number from {least} to {most}")
    return value


def flag_field(value: Any) -> int:
    """1 for true, 0 for false."""
    if not isinstance(value, bool):
        raise FieldError("is neither true nor false")
    return int(value)


def time_field(value: Any) -> int:
    """The instant of an RFC 3339 text."""
    text = text_field(value, most=_LONGEST_ID)
    if text.startswith("in:"):
        raise FieldError("is no instant")
    return parse_instant(text, now=0)


def list_field(value: Any, *, of: Callable[[Any], Any]) -> list[Any]:
    """A list of what `of` reads."""
    if not isinstance(value, list):
        raise FieldError("is no list")
    return [of(one) for one in value]


def ids_field(value: Any) -> list[str]:
    """Ids of ours, each once."""
    found = list_field(value, of=todo_id_field)
    if len(set(found)) != len(found):
        raise FieldError("names a todo twice")
    return found


def member_field(value: Any, *, of: type[StrEnum]) -> str:
    """A member of a closed set of names."""
    return of(value).value
