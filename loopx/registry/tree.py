"""The registry's YAML as a tree in which every part knows where it is written.

Scalars stay as they are spelt, so no reader turns `no`, `0123` or a date into something else; what
is a number is for the schema to say. The positions serve refusals and let an edit touch nothing
but its own lines. ruamel.yaml scans and parses; only composing is done here, with what it leaves
open: keys that stand twice, references that explode, a second document.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)
from ruamel.yaml.reader import ReaderError

from loopx.registry.fault import Place, invalid, place_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ruamel.yaml.error import StreamMark
    from ruamel.yaml.events import Event

DEEPEST = 32  # nested collections; a registry needs eight
EXPANSION = 10  # how many times its written size a file may grow through aliases
FREE_EXPANSION = 10_000  # parts that any file may have
_MERGE = "<<"
_COLON = re.compile(r"(?:\s|#[^\n]*)*:")
_TAGS = frozenset(f"tag:yaml.org,2002:{name}" for name in ("str", "map", "seq")) | {"!"}
_CONFLICTS = ("<<<<<<< ", "||||||| ", ">>>>>>> ")


class Scalar(NamedTuple):
    """Text as it is spelt; `style` is None for plain, else its quote or block sign."""

    text: str
    style: str | None
    start: int
    end: int
    place: Place

    @property
    def size(self) -> int:
        return 1


class Member(NamedTuple):
    """An item, or a key with its value. `start` and `end` are where *this* mention of it is written."""

    key: Scalar | None
    value: Node
    start: int
    end: int


class Sequence(NamedTuple):
    members: tuple[Member, ...]
    is_flow: bool
    start: int
    end: int
    place: Place
    size: int


class Mapping(NamedTuple):
    """`members` are the keys as written, `own` those but `<<`, `merged` the mappings that `<<` takes in."""

    members: tuple[Member, ...]
    own: dict[str, Member]
    merged: tuple[Mapping, ...]
    is_flow: bool
    start: int
    end: int
    place: Place
    size: int

    def fields(self) -> dict[str, Member]:
        """All keys with their values, written here or taken in."""
        found: dict[str, Member] = {}
        for source in reversed(self.merged):
            found.update(source.fields())
        return found | self.own


Node = Scalar | Sequence | Mapping


def compose(text: str, file: str) -> Node:
    """The tree of the file's one document; RegistryInvalidError with line and column otherwise."""
    refuse_conflict_markers(text, file)
    try:
        return _Composer(text, file).document()
    except MarkedYAMLError as exc:
        mark = exc.problem_mark or exc.context_mark
        place = Place(file, mark.line + 1, mark.column + 1) if mark else Place(file, 1, 1)
        raise invalid(place, f"this is not YAML: {exc.problem or exc.context}") from exc
    except ReaderError as exc:
        fault = f"the character U+{ord(text[exc.position]):04X} may not stand in YAML"
        raise invalid(place_of(text, exc.position, file), fault) from exc
    except YAMLError as exc:
        raise invalid(Place(file, 1, 1), f"this is not YAML: {exc}") from exc


def refuse_conflict_markers(text: str, file: str) -> None:
    """RegistryInvalidError where a merge left its marks."""
    for number, line in enumerate(text.split("\n"), start=1):
        if line.startswith(_CONFLICTS):
            raise invalid(
                Place(file, number, 1),
                "a merge conflict is not settled",
                hint="Choose one side and remove the conflict's marks.",
            )


class _Composer:
    def __init__(self, text: str, file: str) -> None:
        self._text = text
        self._file = file
        self._events: Iterator[Event] = YAML(typ="safe", pure=True).parse(text)
        self._anchors: dict[str, Node | None] = {}  # None while the part is still being written
        self._written = 0

    def document(self) -> Node:
        next(self._events)  # the stream's start
        opening = next(self._events)
        if isinstance(opening, StreamEndEvent):
            raise invalid(Place(self._file, 1, 1), "the file is empty", hint="Bring it back from git or a backup.")
        root = self._node(next(self._events), 0)
        next(self._events)  # the document's end
        following = next(self._events)
        if isinstance(following, DocumentStartEvent):
            raise invalid(self._place(following.start_mark), "a second document begins; the registry is one")
        if root.size > EXPANSION * self._written + FREE_EXPANSION:
            raise invalid(root.place, f"its aliases make it {root.size} parts, far more than is written")
        return root

    def _node(self, event: Event, depth: int) -> Node:
        """The node that begins with the event. An anchor counts once its node is whole."""
        assert isinstance(event, NodeEvent)
        self._written += 1
        if depth > DEEPEST:
            raise invalid(self._place(event.start_mark), f"it is nested more than {DEEPEST} levels deep")
        if isinstance(event, AliasEvent):
            return self._aliased(event)
        self._refuse_tag(event)
        if event.anchor:
            self._anchors[event.anchor] = None
        node = self._written_node(event, depth)
        if event.anchor:
            self._anchors[event.anchor] = node
        return node

    def _written_node(self, event: NodeEvent, depth: int) -> Node:
        if isinstance(event, MappingStartEvent):
            return self._mapping(event, depth)
        if isinstance(event, SequenceStartEvent):
            return self._sequence(event, depth)
        assert isinstance(event, ScalarEvent)
        style = event.style or None
        return Scalar(event.value, style, event.start_mark.index, event.end_mark.index, self._place(event.start_mark))

    def _aliased(self, event: AliasEvent) -> Node:
        node = self._anchors.get(event.anchor)
        if node is None:
            fault = "stands inside itself" if event.anchor in self._anchors else "is written nowhere above"
            raise invalid(self._place(event.start_mark), f"the part that *{event.anchor} repeats {fault}")
        return node

    def _sequence(self, opening: SequenceStartEvent, depth: int) -> Sequence:
        members: list[Member] = []
        while not isinstance(event := next(self._events), SequenceEndEvent):
            members.append(self._member(None, event, depth))
        return Sequence(
            tuple(members),
            bool(opening.flow_style),
            opening.start_mark.index,
            event.end_mark.index,
            self._place(opening.start_mark),
            1 + sum(member.value.size for member in members),
        )

    def _mapping(self, opening: MappingStartEvent, depth: int) -> Mapping:
        own: dict[str, Member] = {}
        while not isinstance(event := next(self._events), MappingEndEvent):
            key = self._key(event)
            self._refuse_twice(own, key)
            own[key.text] = self._member(key, next(self._events), depth)
        members = tuple(own.values())
        return Mapping(
            members,
            own,
            self._merged(own),
            bool(opening.flow_style),
            opening.start_mark.index,
            event.end_mark.index,
            self._place(opening.start_mark),
            1 + sum(member.value.size for member in members),
        )

    def _member(self, key: Scalar | None, event: Event, depth: int) -> Member:
        node = self._node(event, depth + 1)
        if key is not None and isinstance(node, Scalar) and node.start == node.end:
            node = self._behind_colon(key, node)
        start = event.start_mark.index if key is None else key.start
        end = event.end_mark.index if isinstance(event, AliasEvent) else node.end
        return Member(key, node, start, end)

    def _behind_colon(self, key: Scalar, empty: Scalar) -> Scalar:
        """A value that is left out, at its key; the scanner puts it before whatever comes next."""
        colon = _COLON.match(self._text, key.end)
        if colon is None:
            raise invalid(key.place, f"the key {key.text!r} has no value")
        return empty._replace(start=colon.end(), end=colon.end(), place=key.place)

    def _key(self, event: Event) -> Scalar:
        if not isinstance(event, ScalarEvent):
            raise invalid(self._place(event.start_mark), "a key must be a single word")
        node = self._node(event, 0)
        assert isinstance(node, Scalar)
        return node

    def _merged(self, own: dict[str, Member]) -> tuple[Mapping, ...]:
        """Take the merge key out of `own` and return what it names."""
        member = own.get(_MERGE)
        if member is None or member.key is None or member.key.style is not None:
            return ()
        node = own.pop(_MERGE).value
        sources = [item.value for item in node.members] if isinstance(node, Sequence) else [node]
        merged = tuple(source for source in sources if isinstance(source, Mapping))
        if len(merged) != len(sources):
            raise invalid(member.key.place, "<< takes in mappings only")
        return merged

    def _refuse_twice(self, own: dict[str, Member], key: Scalar) -> None:
        first = own.get(key.text)
        if first is None:
            return
        assert first.key is not None
        lines = [first.key.place.line, key.place.line]
        raise invalid(
            key.place,
            f"the key {key.text!r} stands twice, in line {lines[0]} and in line {lines[1]}",
            hint="Keep one of the two lines.",
            lines=lines,
        )

    def _refuse_tag(self, event: NodeEvent) -> None:
        tag = getattr(event, "tag", None)
        if tag is not None and tag not in _TAGS:
            raise invalid(self._place(event.start_mark), f"the tag {tag!r} has no meaning in a registry")

    def _place(self, mark: StreamMark) -> Place:
        return Place(self._file, mark.line + 1, mark.column + 1)
