"""One entry in a JSON file of settings: put in by splicing text, taken out without a trace.

Nothing is written that was not proved: the new text must read as the old value with exactly this entry more,
or less. Everything else of the file stays byte for byte, its indentation, order and line ends too.
"""

from __future__ import annotations

import copy
import json
import re
from typing import TYPE_CHECKING, Any

from loopx.app.setup.mark import LEAD, Mark, Wish, mark_in
from loopx.app.setup.spans import Child, Container, container_at, first_place, read_json
from loopx.core.errors import SetupImpossibleError
from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_INDENT = re.compile(r"\n([ \t]+)\S")
_DEFAULT_INDENT = "  "


class Entry(Value):
    """What belongs where: the keys that lead to a list, or to the member itself; the value under a given mark.

    `is_like` recognises an entry of the same meaning that people made by hand.
    """

    path: tuple[str, ...]
    is_listed: bool
    value: Callable[[Mark], Any]
    is_like: Callable[[Any], bool]


class Found(Value):
    """Our entry: the containers that lead to it, from the outermost, each with the child on the way; its mark."""

    chain: tuple[tuple[Container, Child], ...]
    mark: Mark


def find_entry(text: str, entry: Entry) -> Found | None:
    """Our entry in the file, or None. SetupImpossibleError for a like one without our mark."""
    read_json(text)
    chain, container = _walk(text, entry)
    if not entry.is_listed:
        if len(chain) < len(entry.path):
            return None
        return Found(tuple(chain), _own_mark(chain[-1][1]))
    if container is None or len(chain) < len(entry.path):
        return None
    for item in container.children:
        mark = mark_in(_shown(item.value))
        if mark is not None:
            return Found((*chain, (container, item)), mark)
        if entry.is_like(item.value):
            raise _by_hand()
    return None


def put_entry(text: str, entry: Entry, wish: Wish, made: int) -> str:
    """The file with the entry. SetupImpossibleError where it is no JSON or something else has its place."""
    found = find_entry(text, entry)
    if found is not None:
        return _replaced(text, entry, found, found.mark.wished(wish))
    chain, container = _walk(text, entry)
    if container is None:
        raise SetupImpossibleError("something else stands in the entry's place", hint="Look at the file by hand.")
    level = len(chain)
    place = _place(text, container)
    mark = Mark(LEAD, None, len(place.before), len(place.after), level, made).wished(wish)
    member = _member(entry, mark, level, place)
    written = text[: place.at] + place.before + member + place.after + text[place.at :]
    return _proved(written, _with(read_json(text), entry, mark))


def take_entry(text: str, entry: Entry) -> str:
    """The file without the entry, and without the containers that came with it while they hold nothing else."""
    found = find_entry(text, entry)
    if found is None:
        return text
    depth = _depth_alone(found)
    container, child = found.chain[depth]
    wanted = _without(read_json(text), found, depth)
    for start, end in _cuts(text, container, child, found.mark if depth == found.mark.level else None):
        written = text[:start] + text[end:]
        if _reads_as(written, wanted):
            return written
    raise SetupImpossibleError("the entry cannot be taken out safely", hint="Take it out by hand.")


# --- finding -----------------------------------------------------------------------------


def _walk(text: str, entry: Entry) -> tuple[list[tuple[Container, Child]], Container | None]:
    """As far as the path exists: the containers with the child on the way, and the container where it ends."""
    container = container_at(text, first_place(text))
    chain: list[tuple[Container, Child]] = []
    for key in entry.path:
        child = container.child(key) if container is not None and not container.is_list else None
        if container is None or child is None:
            break
        chain.append((container, child))
        container = container_at(text, child.value_start)
    expects_list = entry.is_listed and len(chain) == len(entry.path)
    fits = container is not None and container.is_list == expects_list
    return chain, container if fits else None


def _own_mark(child: Child) -> Mark:
    mark = mark_in(_shown(child.value))
    if mark is None:
        raise _by_hand()
    return mark


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _by_hand() -> SetupImpossibleError:
    return SetupImpossibleError(
        "an entry for loopx is there that setup did not write",
        hint="Keep it as it is, or take it out and run setup again.",
    )


# --- putting in --------------------------------------------------------------------------


class Place(Value):
    """Where text goes in, what surrounds it there, and how lines begin there."""

    at: int
    before: str
    after: str
    line_start: str | None  # None in a text without lines
    unit: str


def _place(text: str, container: Container) -> Place:
    line_end = "\r\n" if "\r\n" in text else "\n"
    unit = (_INDENT.search(text) or [None, _DEFAULT_INDENT])[1] or _DEFAULT_INDENT
    has_lines = "\n" in text.strip() or text.strip() in ("{}", "[]")
    if container.children:
        last = container.children[-1]
        own_line = _line_start(text, last.start)
        before = f",{own_line}" if own_line is not None else ", "
        return Place(last.end, before, "", own_line, unit)
    if not has_lines:
        return Place(container.inside, "", "", None, unit)
    outer = line_end + _indent_of_line(text, container.inside)
    inner_has_line = "\n" in text[container.inside : container.close]
    return Place(container.inside, outer + unit, "" if inner_has_line else outer, outer + unit, unit)


def _line_start(text: str, at: int) -> str | None:
    """The line end and the indentation right before that place, or None where other things stand between."""
    match = re.search(r"\r?\n[ \t]*\Z", text[:at])
    return match[0] if match else None


def _indent_of_line(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _member(entry: Entry, mark: Mark, level: int, place: Place) -> str:
    """The text of what is missing from that level of the path on."""
    value: Any = entry.value(mark)
    missing = list(entry.path[level:])
    if entry.is_listed and missing:
        value = [value]
    key = missing.pop(0) if missing else None
    for name in reversed(missing):
        value = {name: value}
    spelt = _spelt(value, place)
    return spelt if key is None else f"{json.dumps(key)}: {spelt}"


def _spelt(value: Any, place: Place) -> str:
    if place.line_start is None:
        return json.dumps(value)
    return json.dumps(value, indent=place.unit).replace("\n", place.line_start)


def _replaced(text: str, entry: Entry, found: Found, mark: Mark) -> str:
    """The entry brought up to date in its place; untouched where it already says the same."""
    container, child = found.chain[-1]
    value = entry.value(mark)
    if child.value == value:
        return text
    line_start = _line_start(text, child.start)
    place = Place(child.value_start, "", "", line_start, _place(text, container).unit)
    return _proved(
        text[: child.value_start] + _spelt(value, place) + text[child.end :],
        _changed(read_json(text), found, len(found.chain) - 1, value),
    )


# --- taking out --------------------------------------------------------------------------


def _depth_alone(found: Found) -> int:
    """The outermost container of ours that holds nothing but the way to the entry."""
    depth = len(found.chain) - 1
    while depth > found.mark.level and len(found.chain[depth][0].children) == 1:
        depth -= 1
    return depth


def _cuts(text: str, container: Container, child: Child, mark: Mark | None) -> Iterator[tuple[int, int]]:
    """What may be cut, best first: exactly what came, then the entry with the comma beside it."""
    if mark is not None:
        start, end = child.start - mark.before, child.end + mark.after
        if start >= 0 and not text[start : child.start].strip(", \t\r\n") and not text[child.end : end].strip():
            yield start, end
    at = container.children.index(child)
    if at > 0:
        yield container.children[at - 1].end, child.end
    if at + 1 < len(container.children):
        yield child.start, container.children[at + 1].start
    yield container.inside, container.close


# --- proving -----------------------------------------------------------------------------


def _proved(text: str, wanted: Any) -> str:
    if not _reads_as(text, wanted):
        raise SetupImpossibleError("the file cannot be edited safely", hint="Add the entry by hand.")
    return text


def _reads_as(text: str, wanted: Any) -> bool:
    try:
        return json.dumps(json.loads(text)) == json.dumps(wanted)  # in this order too
    except ValueError:
        return False


def _with(document: Any, entry: Entry, mark: Mark) -> Any:
    at = document
    for key in entry.path[:-1]:
        at = at.setdefault(key, {})
    if entry.is_listed:
        at.setdefault(entry.path[-1], []).append(entry.value(mark))
    else:
        at[entry.path[-1]] = entry.value(mark)
    return document


def _parent(document: Any, found: Found, depth: int) -> tuple[Any, Any]:
    """The container at that depth of the chain, and the key or index of the child on the way."""
    at = document
    for container, child in found.chain[:depth]:
        at = at[_key(container, child)]
    return at, _key(*found.chain[depth])


def _key(container: Container, child: Child) -> Any:
    return container.children.index(child) if container.is_list else child.key


def _without(document: Any, found: Found, depth: int) -> Any:
    at, key = _parent(document, found, depth)
    del at[key]
    return document


def _changed(document: Any, found: Found, depth: int, value: Any) -> Any:
    document = copy.deepcopy(document)
    at, key = _parent(document, found, depth)
    at[key] = value
    return document
