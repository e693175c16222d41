"""JSON that others wrote: strict about what would be lost or guessed, and every object knows its line.

The standard decoder takes the last of two equal keys, `NaN`, infinite numbers and lone surrogates. Here each
of them is a flaw of the object that holds it, so that its neighbours can still be taken.
"""

from __future__ import annotations

import re
from enum import StrEnum
from json import JSONDecodeError, JSONDecoder
from math import isinf
from typing import TYPE_CHECKING, TypeAlias

from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    Json: TypeAlias = str | int | float | bool | list["Json"] | dict[str, "Json"] | None

DEEPEST = 64  # nested values; people's files need eight, and a stack has an end
_SUSPECT = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")  # escapes of NUL and of surrogates, paired ones among them
_SURROGATE = re.compile("[\ud800-\udfff]")
_WHITE = re.compile(r"[ \t\n\r]*")
_TOO_DEEP = f"values are nested more than {DEEPEST} deep"
_SHOWN = 40  # characters of a key that a message repeats


class JsonFault(StrEnum):
    NOT_JSON = "not_json"
    TRUNCATED = "truncated"
    TWO_VALUES = "two_values"
    REPEATED_KEY = "repeated_key"
    NOT_A_NUMBER = "not_a_number"
    NUMBER_TOO_LONG = "number_too_long"
    NUL = "nul"
    LONE_SURROGATE = "lone_surrogate"
    TOO_DEEP = "too_deep"


class Flaw(Value):
    """What cannot be taken: in which line, by a code and in words."""

    line: int
    fault: str
    message: str


class JsonObject(dict[str, "Json"]):
    """An object, the line in which it begins, and why it cannot be taken, if so."""

    __slots__ = ("flaw", "line")

    def __init__(self, line: int) -> None:
        super().__init__()
        self.line = line
        self.flaw: Flaw | None = None


class JsonReader:
    """Reads one text after the other; objects of `rows` and of the outermost level are `JsonObject`s.

    `rows` are the keys whose arrays hold records: their objects have lines and flaws of their own. A flaw of
    what lies deeper belongs to the nearest `JsonObject` around it.
    """

    def __init__(self, rows: Collection[str] = ()) -> None:
        self._rows = frozenset(rows)
        self._decoder = JSONDecoder(
            object_pairs_hook=self._pairs, parse_float=self._float, parse_constant=self._constant
        )
        self._flaws: list[tuple[str, str]] = []
        self._text = ""
        self._line = self._counted = 0
        self._is_suspect = False

    def read(self, text: str, *, line: int = 1) -> Json | Flaw:
        """The one value of a text that begins in `line`, or why it has none."""
        self._text, self._line, self._counted = text, line, 0
        self._flaws = []
        self._is_suspect = _SUSPECT.search(text) is not None
        try:
            value, end = self._row(self._blank(0), depth=0)
        except JSONDecodeError as exc:
            return self._syntax(exc)
        except RecursionError:
            return Flaw(self._line, JsonFault.TOO_DEEP, _TOO_DEEP)
        except ValueError:  # of `int`, which refuses thousands of digits
            return Flaw(self._line, JsonFault.NUMBER_TOO_LONG, "a number has too many digits")
        end = self._blank(end)
        return self._rest(end) if end < len(text) else value

    # --- records and what leads to them: by hand, because the decoder tells no positions ----

    def _row(self, at: int, *, depth: int) -> tuple[Json, int]:
        """The document, a record, or what holds records; and where it ends."""
        sign = self._text[at : at + 1]
        if sign == "[":
            return self._array(at, depth)
        if sign == "{" and self._rows:
            return self._object(at, depth)
        line, before = self._line_at(at), len(self._flaws)
        value, end = self._value(at)
        if isinstance(value, dict):
            value = self._lined(value, line)
        del self._flaws[before:]
        return value, end

    def _array(self, at: int, depth: int) -> tuple[Json, int]:
        if depth > DEEPEST:  # each level here is a few frames of the interpreter's stack
            raise RecursionError
        found: list[Json] = []
        at = self._blank(at + 1)
        if self._text[at : at + 1] == "]":
            return found, at + 1
        while True:
            value, end = self._row(at, depth=depth + 1)
            found.append(value)
            at = self._blank(end)
            if self._text[at : at + 1] == "]":
                return found, at + 1
            at = self._blank(self._expect(",", at))

    def _object(self, at: int, depth: int) -> tuple[Json, int]:
        found, outer = JsonObject(self._line_at(at)), self._flaws
        self._flaws = []
        end = self._members(found, at, depth)
        found.flaw = self._first_flaw(found.line)
        self._flaws = outer
        return found, end

    def _members(self, found: JsonObject, at: int, depth: int) -> int:
        at = self._blank(at + 1)
        if self._text[at : at + 1] == "}":
            return at + 1
        while True:
            key, at = self._key(at)
            value, end = self._row(at, depth=depth + 1) if self._leads_on(key, at, depth) else self._value(at)
            if key in found:
                self._flaws.append(_repeated(key))
            found[key] = value
            at = self._blank(end)
            if self._text[at : at + 1] == "}":
                return at + 1
            at = self._blank(self._expect(",", at))

    def _key(self, at: int) -> tuple[str, int]:
        """A member's key and where its value begins."""
        if self._text[at : at + 1] != '"':
            raise JSONDecodeError("Expecting property name enclosed in double quotes", self._text, at)
        key, end = self._value(at)
        return str(key), self._blank(self._expect(":", self._blank(end)))

    def _leads_on(self, key: str, at: int, depth: int) -> bool:
        """Whether records lie below: a named array of them, or an object of the document that may hold one."""
        sign = self._text[at : at + 1]
        return sign == "[" if key in self._rows else depth == 0 and sign == "{"

    def _value(self, at: int) -> tuple[Json, int]:
        """Any other value, and what is wrong inside it where the text lets one suspect it."""
        value, end = self._decoder.raw_decode(self._text, at)
        if self._is_suspect and _SUSPECT.search(self._text, at, end):
            self._flaws.extend(_bad_strings(value))
        if self._text.count("[", at, end) + self._text.count("{", at, end) > DEEPEST and _is_too_deep(value):
            self._flaws.append((JsonFault.TOO_DEEP, _TOO_DEEP))
        return value, end

    def _expect(self, sign: str, at: int) -> int:
        if self._text[at : at + 1] != sign:
            raise JSONDecodeError(f"Expecting {sign!r} delimiter", self._text, at)
        return at + 1

    def _blank(self, at: int) -> int:
        found = _WHITE.match(self._text, at)
        return found.end() if found else at

    # --- lines and flaws --------------------------------------------------------------------

    def _line_at(self, at: int) -> int:
        self._line += self._text.count("\n", self._counted, at)
        self._counted = at
        return self._line

    def _lined(self, value: dict[str, Json], line: int) -> JsonObject:
        found = JsonObject(line)
        found.update(value)
        found.flaw = self._first_flaw(line)
        return found

    def _first_flaw(self, line: int) -> Flaw | None:
        return Flaw(line, *self._flaws[0]) if self._flaws else None

    def _pairs(self, pairs: list[tuple[str, Json]]) -> dict[str, Json]:
        found = dict(pairs)
        if len(found) != len(pairs):
            self._flaws.append(_repeated(_first_twice(key for key, _ in pairs)))
        return found

    def _float(self, digits: str) -> float:
        number = float(digits)
        if isinf(number):
            self._flaws.append((JsonFault.NUMBER_TOO_LONG, "a number is too large"))
        return number

    def _constant(self, name: str) -> None:
        self._flaws.append((JsonFault.NOT_A_NUMBER, f"{name} is no JSON"))

    # --- what is no JSON at all -------------------------------------------------------------

    def _syntax(self, exc: JSONDecodeError) -> Flaw:
        at = min(exc.pos, len(self._text))
        if exc.msg.startswith("Unterminated string") or not self._text[at:].strip():
            line = self._line + self._text.count("\n", self._counted)
            return Flaw(line, JsonFault.TRUNCATED, "the text ends in the middle of a value")
        return Flaw(self._line_from_start(at), JsonFault.NOT_JSON, f"this is not JSON: {exc.msg}")

    def _rest(self, at: int) -> Flaw:
        line = self._line_at(at)
        if self._text[at] in "{[":
            return Flaw(line, JsonFault.TWO_VALUES, "two values stand one after the other")
        return Flaw(line, JsonFault.NOT_JSON, "this is not JSON: something follows its value")

    def _line_from_start(self, at: int) -> int:
        return self._line + self._text.count("\n", self._counted, max(at, self._counted))


def _repeated(key: str) -> tuple[str, str]:
    return JsonFault.REPEATED_KEY, f"the key {key[:_SHOWN]!r} stands twice"


def _first_twice(keys: Iterator[str]) -> str:
    seen: set[str] = set()
    return next(key for key in keys if key in seen or seen.add(key))  # type: ignore[func-returns-value]


def _bad_strings(value: Json) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for text in _strings(value):
        if "\x00" in text:
            found.append((JsonFault.NUL, "a text holds a NUL character"))
        if _SURROGATE.search(text):
            found.append((JsonFault.LONE_SURROGATE, "a text holds a lone surrogate"))
    return found


def _strings(value: Json) -> list[str]:
    """Every text in the value, keys among them."""
    found, left = [], [value]
    while left:
        part = left.pop()
        if isinstance(part, str):
            found.append(part)
        elif isinstance(part, list):
            left.extend(part)
        elif isinstance(part, dict):
            found.extend(part)
            left.extend(part.values())
    return found


def _is_too_deep(value: Json) -> bool:
    layer, depth = [value], 0
    while layer and depth < DEEPEST:
        layer, depth = [inner for part in layer for inner in _inside(part)], depth + 1
    return bool(layer)


def _inside(value: Json) -> list[Json]:
    """The containers directly inside a container."""
    parts = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return [part for part in parts if isinstance(part, (dict, list))]
