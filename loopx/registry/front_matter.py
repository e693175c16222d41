"""YAML front matter of other tools' files as plain texts, lists and mappings.

Scalars stay as they are spelt, so that a date without quotes, `no` and `0123` are texts like any other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.errors import RegistryInvalidError
from loopx.core.foreign.front_matter import YamlFault
from loopx.registry.tree import Mapping, Scalar, compose

if TYPE_CHECKING:
    from loopx.core.foreign.front_matter import FrontValue
    from loopx.registry.tree import Node

_NULLS = ("", "~", "null", "Null", "NULL")


def parse_yaml(text: str) -> dict[str, FrontValue] | YamlFault:
    """The fields of a YAML mapping (of nothing, none), or the line and the words of what is wrong with it."""
    if not text.strip():
        return {}
    try:
        root = compose(text, "front matter")
    except RegistryInvalidError as exc:
        line = exc.details.get("line")
        return YamlFault(line if isinstance(line, int) else 1, exc.message.partition(": ")[2])
    if not isinstance(root, Mapping):
        return YamlFault(root.place.line, "it is no mapping of fields")
    return _fields(root)


def _fields(mapping: Mapping) -> dict[str, FrontValue]:
    return {name: _plain(member.value) for name, member in mapping.fields().items()}


def _plain(node: Node) -> FrontValue:
    if isinstance(node, Scalar):
        return None if node.style is None and node.text in _NULLS else node.text
    if isinstance(node, Mapping):
        return dict(_fields(node))
    return [_plain(member.value) for member in node.members]
