"""New values as YAML: plain where nobody can misread it, quoted everywhere else."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

Content = str | int | float | bool | Sequence["Content"] | Mapping[str, "Content"]

WIDEST_FLOW = 100  # characters of one {…} or […] before it is laid out over lines
_INDENT = 2
_PLAIN = re.compile(r"[^\W\d_](?:[\w./@+-]| (?=[\w./@+-]))*|[1-9][0-9]*(?:ms|[smhd])")  # words, durations
_MISREAD = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null"))
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")  # JSON leaves them, YAML may not


def spell(value: str | int | float | bool, style: str | None = None) -> str:
    """The scalar on one line; text keeps the quotes of `style` where it can."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return repr(value)
    if style == "'" and _is_printable(value):
        return "'" + value.replace("'", "''") + "'"
    if style != '"' and _is_plain(value):
        return value
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))


def flow(value: Content) -> str:
    """The value on one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(flow(item) for item in value) + "]"
    return spell(value)


def entry_lines(key: str, value: Content, indent: int) -> list[str]:
    """`key: value` as lines of a block mapping."""
    pad = " " * indent
    if _fits_flow(value):
        return [f"{pad}{key}: {flow(value)}"]
    return [f"{pad}{key}:", *_lines(value, indent + _INDENT)]


def item_lines(value: Content, indent: int, *, as_block: bool = False) -> list[str]:
    """`- value` as lines of a block sequence."""
    pad = " " * indent
    if _fits_flow(value) and not as_block:
        return [f"{pad}- {flow(value)}"]
    first, *rest = _lines(value, indent + _INDENT)
    return [f"{pad}- {first.lstrip(' ')}", *rest]


def _lines(value: Content, indent: int) -> list[str]:
    if isinstance(value, Mapping):
        return [line for key, item in value.items() for line in entry_lines(key, item, indent)]
    assert isinstance(value, Sequence)
    return [line for item in value for line in item_lines(item, indent)]


def _fits_flow(value: Content) -> bool:
    """Whether one line shows it well: scalars, lists of scalars, and short mappings of both."""
    if isinstance(value, str | int | float):
        return True
    if isinstance(value, Mapping):
        return all(_is_flat(item) for item in value.values()) and len(flow(value)) <= WIDEST_FLOW
    return _is_flat(value)


def _is_flat(value: Content) -> bool:
    if isinstance(value, Mapping):
        return not value
    return isinstance(value, str | int | float) or all(isinstance(item, str | int | float) for item in value)


def _is_plain(text: str) -> bool:
    """Whether no reader, of YAML 1.1 or 1.2, in a flow or outside, can take it for anything else."""
    return _PLAIN.fullmatch(text) is not None and text.lower() not in _MISREAD and _is_printable(text)


def _is_printable(text: str) -> bool:
    return text.isprintable()
