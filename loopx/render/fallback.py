"""Any document: its keys and values, indented; lists of like things as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.render.block import Block, Gap, facts, table, title
from loopx.render.receipt import receipt_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_ENVELOPE = frozenset(("schema_version", "ok", "state", "warnings", "receipt", "dry_run"))
_SCALARS = (str, int, float, bool, type(None))


def any_document(document: Mapping[str, Any]) -> Iterator[Block]:
    """Every key but the envelope's."""
    yield from _members({key: value for key, value in document.items() if key not in _ENVELOPE}, path="")
    yield from receipt_blocks(document)


def _members(members: Mapping[str, Any], path: str) -> Iterator[Block]:
    yield facts((key, shown(value)) for key, value in members.items() if _is_short(value))
    for key, value in members.items():
        if not _is_short(value):
            yield Gap()
            yield title(path + key)
            yield from _nested(value, f"{path}{key}.")


def _nested(value: Any, path: str) -> Iterator[Block]:
    if isinstance(value, dict):
        yield from _members(value, path)
        return
    columns = list(dict.fromkeys(key for row in value if isinstance(row, dict) for key in row))
    yield table(columns, ([shown(row.get(key)) for key in columns] for row in value if isinstance(row, dict)))


def _is_short(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return all(isinstance(item, _SCALARS) for item in value)
    return isinstance(value, _SCALARS)


def shown(value: Any) -> str:
    """A value in words; nothing for null and for an empty list."""
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case list() | tuple():
            return ", ".join(words for item in value if (words := shown(item)))
        case dict():
            told = {key: shown(item) for key, item in value.items()}
            return ", ".join(f"{key} {words}" for key, words in told.items() if words)
        case _:
            return str(value)
