"""Where the members and items of a JSON text stand, so that one can be put in without touching the rest."""

from __future__ import annotations

import json
import re
from typing import Any

from loopx.core.errors import SetupImpossibleError
from loopx.core.value import Value

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


class Child(Value):
    """A member or item: its key (None in a list), where it begins with its key, its value, and where it ends."""

    key: str | None
    start: int
    value_start: int
    end: int
    value: Any


class Container(Value):
    """An object or list of the text: the place behind its opening bracket, its closing bracket, what it holds."""

    inside: int
    close: int
    is_list: bool
    children: tuple[Child, ...]

    def child(self, key: str) -> Child | None:
        """The member of that key. SetupImpossibleError where it stands there twice."""
        found = [child for child in self.children if child.key == key]
        if len(found) > 1:
            raise SetupImpossibleError(f"the key {key!r} stands there twice", hint="Take one of them out.")
        return found[0] if found else None


def read_json(text: str) -> Any:
    """The value of the text. SetupImpossibleError with line and column where it is no JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as exc:
        at = f" (line {exc.lineno}, column {exc.colno})" if isinstance(exc, json.JSONDecodeError) else ""
        raise SetupImpossibleError(
            f"the file is no plain JSON{at}", hint="Mend it first; comments are not JSON."
        ) from exc


def container_at(text: str, start: int) -> Container | None:
    """The object or list that begins there in a valid text, or None for another value."""
    if text[start] not in "{[":
        return None
    is_list, at, children = text[start] == "[", _skip(text, start + 1), []
    while text[at] not in "}]":
        child = _child(text, at, is_list=is_list)
        children.append(child)
        at = _skip(text, child.end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return Container(start + 1, at, is_list, tuple(children))


def first_place(text: str) -> int:
    """Where the value of the whole text begins."""
    return _skip(text, 0)


def _child(text: str, start: int, *, is_list: bool) -> Child:
    key, value_start = None, start
    if not is_list:
        key, behind = _DECODER.raw_decode(text, start)
        value_start = _skip(text, _skip(text, behind) + 1)
    value, end = _DECODER.raw_decode(text, value_start)
    return Child(key, start, value_start, end, value)


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    assert match is not None
    return match.end()
