"""A registry's text while it is edited: set a value, add an item, drop a member, by path.

Beside the text a plain copy of its data is changed in the same way. If the text then reads as
anything else than that copy, the edit went further than meant (through an alias, say) and is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.registry.fault import invalid
from loopx.registry.read import registry_of
from loopx.registry.spell import Content, spell
from loopx.registry.splice import Splice, append, put, remove, spliced
from loopx.registry.tree import Mapping, Member, Node, Scalar, Sequence, compose

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopx.registry.model import Registry

Path = tuple[str | int, ...]
Plain = str | list["Plain"] | dict[str, "Plain"]


class Draft:
    """The text of a valid registry and what it is becoming. RegistryInvalidError where it is not valid."""

    def __init__(self, text: str, file: str) -> None:
        self._file = file
        self._text = text
        self._tree: Node | None = compose(text, file)
        self._data = _plain(self._tree)
        self._registry: Registry | None = registry_of(self._tree)

    @property
    def text(self) -> str:
        """The YAML text with all edits so far."""
        return self._text

    @property
    def registry(self) -> Registry:
        """The registry that the text describes now; RegistryInvalidError where an edit broke a rule."""
        if self._registry is None:
            self._registry = registry_of(self.tree)
        return self._registry

    @property
    def tree(self) -> Node:
        """The tree of the present text; RegistryInvalidError where an edit reached further than meant."""
        if self._tree is None:
            self._tree = compose(self._text, self._file)
            if _plain(self._tree) != self._data:
                raise invalid(
                    self._tree.place,
                    "the edit would also change a part that is shared through an anchor, an alias or <<",
                    hint="Write that part out for each goal that has it, then repeat the command.",
                )
        return self._tree

    def get(self, path: Path) -> str | None:
        """The text at the path, or None where nothing is."""
        found = _at(self._data, path) if not self._nearest(path)[1] else None
        return found if isinstance(found, str) else None

    def texts(self, path: Path) -> list[str]:
        """The items of the list of texts at the path; none where there is no list."""
        if self._nearest(path)[1]:
            return []
        return [item for item in _items(_at(self._data, path)) if isinstance(item, str)]

    def set(self, path: Path, value: Content) -> None:
        """Give the place its value; the mappings that lead there are made where they are missing."""
        owner, rest = self._nearest(path[:-1])
        node = self._member(owner).value
        assert isinstance(node, Mapping)
        key, *deeper = (str(step) for step in (*rest, path[-1]))
        for step in reversed(deeper):
            value = {step: value}
        self._make(put(self._text, node, key, value))
        _mapping(_at(self._data, owner))[key] = _plain_value(value)

    def add(self, path: Path, value: Content, *, as_block: bool = False) -> None:
        """Add an item to the list at the path, which is made where it is missing."""
        if self._nearest(path)[1]:
            self.set(path, [value])
            return
        self._make(append(self._text, self._member(path), value, as_block=as_block))
        _items(_at(self._data, path)).append(_plain_value(value))

    def drop(self, path: Path) -> None:
        """Take out the item or key at the path."""
        *above, step = path
        owner = self._member(tuple(above))
        self._make(remove(self._text, owner, _position(owner.value, step)))
        data = _at(self._data, tuple(above))
        if isinstance(step, int):
            del _items(data)[step]
        else:
            del _mapping(data)[step]

    def _make(self, splices: Iterable[Splice]) -> None:
        self._text = spliced(self._text, splices)
        self._tree = self._registry = None

    def _member(self, path: Path) -> Member:
        root = self.tree
        member = Member(None, root, root.start, root.end)
        for step in path:
            member = _child(member.value, step)
        return member

    def _nearest(self, path: Path) -> tuple[Path, Path]:
        """The part of the path that is there, and the rest."""
        node = self.tree
        for depth, step in enumerate(path):
            if isinstance(node, Mapping) and step not in node.fields():
                return path[:depth], path[depth:]
            node = _child(node, step).value
        return path, ()


def _child(node: Node, step: str | int) -> Member:
    if isinstance(node, Mapping):
        return node.fields()[str(step)]
    assert isinstance(node, Sequence)
    return node.members[int(step)]


def _position(node: Node, step: str | int) -> int:
    """Which of the members written here it is; RegistryInvalidError where it stands elsewhere."""
    if isinstance(step, int):
        return step
    assert isinstance(node, Mapping)
    if step not in node.own:
        raise invalid(node.place, f"{step!r} comes from another part through <<", hint="Take it out there by hand.")
    return node.members.index(node.own[step])


# --- the plain copy ----------------------------------------------------------------------


def _plain(node: Node) -> Plain:
    if isinstance(node, Scalar):
        return node.text
    if isinstance(node, Sequence):
        return [_plain(member.value) for member in node.members]
    return {key: _plain(member.value) for key, member in node.fields().items()}


def _plain_value(value: Content) -> Plain:
    if isinstance(value, str):
        return value
    if isinstance(value, int | float):
        return spell(value)
    if isinstance(value, dict):
        return {key: _plain_value(item) for key, item in value.items()}
    return [_plain_value(item) for item in value]


def _at(data: Plain, path: Path) -> Plain:
    for step in path:
        data = _items(data)[step] if isinstance(step, int) else _mapping(data)[step]
    return data


def _items(data: Plain) -> list[Plain]:
    assert isinstance(data, list)
    return data


def _mapping(data: Plain) -> dict[str, Plain]:
    assert isinstance(data, dict)
    return data
