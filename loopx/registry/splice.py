"""Edits of YAML text that touch no character but their own: put a key, append an item, remove one.

Each takes the text with the tree of that very text and returns what to replace where. Comments,
order, quotes, anchors and line ends elsewhere survive because nothing else is written again.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from loopx.registry.spell import Content, entry_lines, flow, item_lines, spell
from loopx.registry.tree import Mapping, Member, Scalar, Sequence

if TYPE_CHECKING:
    from collections.abc import Iterable

_INDENT = 2
_HEADER = re.compile(r"(?:[&!]\S*|\s+|#[^\n]*)*")  # anchor, tag and comments in front of a node
_PROPERTIES = re.compile(r"(?:[&!]\S*\s+)*")
_BLOCK_SCALAR = re.compile(r"[|>](?P<signs>[-+0-9]*)[ \t]*(?P<comment>#[^\r\n]*)?")
_COMMA = re.compile(r"(?:\s|#[^\n]*)*,")
_SPACE = re.compile(r"[ \t]*")

Collection = Mapping | Sequence


class Splice(NamedTuple):
    """Replace `text[start:end]` by `new`."""

    start: int
    end: int
    new: str


def spliced(text: str, splices: Iterable[Splice]) -> str:
    """The text with all of them made; they do not overlap, and equal starts keep their order."""
    pieces: list[str] = []
    done = 0
    for splice in sorted(splices, key=lambda splice: (splice.start, splice.end)):
        pieces += (text[done : splice.start], splice.new)
        done = splice.end
    return "".join((*pieces, text[done:]))


def put(text: str, mapping: Mapping, key: str, value: Content) -> list[Splice]:
    """Give a key of the mapping its value; a key that is there must hold a scalar."""
    member = mapping.own.get(key)
    if member is None:
        return _added(text, mapping, f"{key}: {flow(value)}", entry_lines(key, value, _column(text, mapping)))
    assert isinstance(member.value, Scalar)
    assert isinstance(value, str | int | float)
    return [_respelt(text, member, value)]


def append(text: str, owner: Member, value: Content, *, as_block: bool = False) -> list[Splice]:
    """Add an item to the list that `owner` holds, laid out like the item before it."""
    sequence = owner.value
    assert isinstance(sequence, Sequence)
    if as_block and not sequence.members and owner.key is not None:
        lines = item_lines(value, _column_of(text, owner.start) + _INDENT, as_block=True)
        behind_colon = len(text[: sequence.start].rstrip(" \t"))
        return [Splice(behind_colon, sequence.end, ""), _inserted(text, sequence.end, lines)]
    last = sequence.members[-1].value if sequence.members else None
    as_block = as_block or (isinstance(last, Mapping) and not last.is_flow)
    return _added(text, sequence, flow(value), item_lines(value, _column(text, sequence), as_block=as_block))


def remove(text: str, owner: Member, index: int) -> list[Splice]:
    """Take the member of that index out of the collection that `owner` holds, with its own comment."""
    collection = owner.value
    assert isinstance(collection, Mapping | Sequence)
    if collection.is_flow:
        return _removed_from_flow(text, collection, index)
    if len(collection.members) == 1:
        assert owner.key is not None
        empty = " {}" if isinstance(collection, Mapping) else " []"
        colon = text.index(":", owner.key.end) + 1
        return [Splice(colon, colon, empty), _removed_lines(text, collection, index)]
    return [_removed_lines(text, collection, index)]


# --- adding ------------------------------------------------------------------------------


def _added(text: str, collection: Collection, on_line: str, lines: list[str]) -> list[Splice]:
    if collection.is_flow:
        return _added_to_flow(text, collection, on_line)
    return [_inserted(text, _content_end(text, collection.members[-1]), lines)]


def _added_to_flow(text: str, collection: Collection, new: str) -> list[Splice]:
    """Behind the last member: on its line, or on a line of its own where that one has one."""
    if not collection.members:
        opening = _after_properties(text, collection) + 1
        gap = " " if text[opening : opening + 1] == "#" else ""
        return [Splice(opening, opening, new + gap)]
    last = collection.members[-1]
    pad = text[_line_start(text, last.start) : last.start]
    if pad.strip() or _line_start(text, collection.end) == _line_start(text, last.end):
        return [Splice(last.end, last.end, f", {new}")]
    comma = _comma_behind(text, last.end)
    line_end = _line_end(text, last.end)
    return [
        Splice(last.end, last.end, "" if comma else ","),
        Splice(line_end, line_end, f"{_eol(text)}{pad}{new}{',' if comma else ''}"),
    ]


def _inserted(text: str, content_end: int, lines: list[str]) -> Splice:
    """Lines right behind the line on which the content ends."""
    eol = _eol(text)
    block = eol.join(lines)
    if text[content_end - 1 : content_end] == "\n":
        return Splice(content_end, content_end, block + eol)
    at = text.find("\n", content_end) + 1
    if at == 0:
        return Splice(len(text), len(text), eol + block)
    return Splice(at, at, block + eol)


# --- changing ----------------------------------------------------------------------------


def _respelt(text: str, member: Member, value: str | int | float) -> Splice:
    """The scalar anew, in its own quotes; anchor and comments stay."""
    scalar = member.value
    assert isinstance(scalar, Scalar)
    if scalar.start == scalar.end:
        return Splice(scalar.start, scalar.end, f" {spell(value)}")
    start = _after_properties(text, scalar)
    end = start + len(text[start : scalar.end].rstrip("\r\n \t"))
    block = _BLOCK_SCALAR.match(text, start) if scalar.style in ("|", ">") else None
    comment = f" {block['comment']}" if block and block["comment"] else ""
    return Splice(start, end, spell(value, scalar.style) + comment)


# --- removing ----------------------------------------------------------------------------


def _removed_from_flow(text: str, collection: Collection, index: int) -> list[Splice]:
    """The member with one comma; what else is written between the members stays."""
    members = collection.members
    start, end = members[index].start, members[index].end
    comma = _comma_behind(text, end)
    if comma:
        return [Splice(start, end, ""), Splice(comma - 1, _after_space(text, comma), "")]
    if index == 0:
        return [Splice(start, end, "")]
    before = members[index - 1].end
    comma = _comma_behind(text, before)
    if text[before:start].strip() != ",":  # a comment stands between
        return [Splice(comma - 1, comma, ""), Splice(start, end, "")]
    return [Splice(before, end, "")]


def _removed_lines(text: str, collection: Collection, index: int) -> Splice:
    """The lines of a block member, from its dash or key to where its content ends."""
    member = collection.members[index]
    start = member.start if isinstance(collection, Mapping) else _dash(text, collection, index)
    line_start = _line_start(text, start)
    end = _content_end(text, member)
    if text[line_start:start].strip():  # it shares its first line with the dash of its mapping
        following = collection.members[index + 1 : index + 2]
        return Splice(start, following[0].start if following else end, "")
    if text[end - 1 : end] == "\n":
        return Splice(line_start, end, "")
    after = text.find("\n", end) + 1
    return Splice(line_start, after or len(text), "")


# --- where things are --------------------------------------------------------------------


def _content_end(text: str, member: Member) -> int:
    """Behind the last written character of a member, without the comments and blank lines that follow."""
    node = member.value
    is_alias = member.end != node.end
    if is_alias:
        return member.end
    if isinstance(node, Scalar):
        return _scalar_end(text, node)
    if node.is_flow or not node.members:
        return node.end
    return _content_end(text, node.members[-1])


def _scalar_end(text: str, scalar: Scalar) -> int:
    """Blank lines behind a block scalar belong to it only where it keeps them (`+`)."""
    if scalar.style not in ("|", ">"):
        return scalar.end
    block = _BLOCK_SCALAR.match(text, _after_properties(text, scalar))
    if block and "+" in block["signs"]:
        return scalar.end
    return scalar.start + len(text[scalar.start : scalar.end].rstrip("\r\n \t"))


def _column(text: str, collection: Collection) -> int:
    """The column at which the members of a block collection begin, counted from 0."""
    if collection.is_flow or not collection.members:
        return 0
    if isinstance(collection, Mapping):
        return _column_of(text, collection.members[0].start)
    return _column_of(text, _dash(text, collection, 0))


def _dash(text: str, sequence: Sequence, index: int) -> int:
    """Where the dash of a block item stands."""
    if index == 0:
        header = _HEADER.match(text, sequence.start)
        assert header is not None
        return header.end()
    column = _column(text, sequence)
    dash = re.compile(rf"^ {{{column}}}-(?=\s)", re.MULTILINE)
    found = dash.search(text, _content_end(text, sequence.members[index - 1]))
    assert found is not None
    return found.end() - 1


def _after_properties(text: str, node: Scalar | Collection) -> int:
    found = _PROPERTIES.match(text, node.start)
    assert found is not None
    return found.end()


def _comma_behind(text: str, index: int) -> int:
    """Behind the comma that follows, maybe on a later line, or 0."""
    found = _COMMA.match(text, index)
    return found.end() if found else 0


def _after_space(text: str, index: int) -> int:
    found = _SPACE.match(text, index)
    assert found is not None
    return found.end()


def _line_start(text: str, index: int) -> int:
    return text.rfind("\n", 0, index) + 1


def _line_end(text: str, index: int) -> int:
    """Before the line end that follows."""
    at = text.find("\n", index)
    if at < 0:
        return len(text)
    return at - 1 if text[at - 1] == "\r" else at


def _column_of(text: str, index: int) -> int:
    return index - _line_start(text, index)


def _eol(text: str) -> str:
    """The line end of the file's first line."""
    at = text.find("\n")
    return "\r\n" if at > 0 and text[at - 1] == "\r" else "\n"
