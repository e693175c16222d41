"""Holds a registry's tree against `schemas/registry.schema.json` and says what is wrong where.

The schema also decides what a scalar is: a number only where the schema has a number, text as it is
spelt everywhere else.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

from jsonschema import Draft202012Validator

from loopx.contracts.schema import load_schema
from loopx.core.name import near_match
from loopx.registry.fault import Place, invalid
from loopx.registry.tree import Mapping, Node, Scalar, Sequence

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jsonschema import ValidationError

    from loopx.core.errors import RegistryInvalidError

Json = Any  # data on its way into the validator; nothing else reads it

_SCHEMA = "registry"
_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,17})")
_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,18})?([eE][-+]?[0-9]{1,2})?")
_NULLS = frozenset(("", "~", "null", "Null", "NULL"))
_TRUTHS = {"true": True, "false": False}
_WORDS = {
    "object": "keys with values",
    "array": "a list",
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
}
_RULES = {
    "minimum": "the least is",
    "maximum": "the most is",
    "minLength": "its least length is",
    "minItems": "its least number of items is",
}


def validate(tree: Node) -> None:
    """RegistryInvalidError for the first part, in file order, that breaks the schema."""
    schema = load_schema(_SCHEMA)
    data = _typed(tree, schema)
    faults = [_refusal(error, tree) for error in Draft202012Validator(schema).iter_errors(data)]
    if faults:
        raise min(faults, key=lambda fault: (fault.details["line"], fault.details["column"]))


# --- what a scalar is --------------------------------------------------------------------


def _typed(node: Node, schema: Json) -> Json:
    """The node as JSON data, typed by the schema that governs it."""
    rules = _resolved(schema)
    if isinstance(node, Mapping):
        kinds = rules.get("properties", {})
        return {key: _typed(member.value, kinds.get(key, {})) for key, member in node.fields().items()}
    if isinstance(node, Sequence):
        return [_typed(member.value, rules.get("items", {})) for member in node.members]
    return _value(node, rules.get("type", "string"))


def _resolved(schema: Json) -> dict[str, Json]:
    """The rules behind a reference; our references all point into `$defs`."""
    reference = schema.get("$ref") if isinstance(schema, dict) else None
    if reference is None:
        return schema if isinstance(schema, dict) else {}
    definition: dict[str, Json] = load_schema(_SCHEMA)["$defs"][reference.rpartition("/")[2]]
    return _resolved(definition)


def _value(scalar: Scalar, kind: Json) -> Json:
    text = scalar.text
    if scalar.style is not None:
        return text
    if text in _NULLS:
        return None
    if kind == "integer" and _INTEGER.fullmatch(text):
        return int(text)
    if kind == "number" and _NUMBER.fullmatch(text):
        return float(text)
    if kind == "boolean":
        return _TRUTHS.get(text, text)
    return text


# --- what is wrong -----------------------------------------------------------------------


def _refusal(error: ValidationError, tree: Node) -> RegistryInvalidError:
    """The schema's complaint in words for a person, at the place that must be mended."""
    node = _at(tree, error.absolute_path)
    place = _with_path(node.place, error.absolute_path)
    rule, found = error.validator, cast("Json", error.instance)
    demand = cast("Json", error.validator_value)
    if rule == "additionalProperties":
        return _unknown_key(cast("Json", error.schema)["properties"], node, place)
    if rule == "required":
        missing = next(name for name in demand if name not in found)
        return invalid(place, f"{missing!r} is missing", hint=f"Add {missing} here.")
    if found is None:
        return invalid(place, "there is no value", hint="Give the value, [] for an empty list, or leave the key out.")
    if rule == "const":
        fault = f"it is version {found}, and this program reads version {demand}"
        return invalid(place, fault, hint="Use a program that knows this version.")
    if rule == "enum":
        return _unknown_word(found, [word for word in demand if word], place)
    if rule == "type":
        return invalid(place, f"{_shown(found)} stands where there must be {_wanted(demand)}")
    return invalid(place, f"{_shown(found)} is not accepted ({_RULES.get(str(rule), rule)} {demand})")


def _unknown_key(known: Iterable[str], node: Node, place: Place) -> RegistryInvalidError:
    assert isinstance(node, Mapping)
    key, member = next((k, m) for k, m in node.fields().items() if k not in known and not k.startswith("x-"))
    assert member.key is not None
    near = near_match(key, known)
    return invalid(
        member.key.place._replace(path=f"{place.path}.{key}".removeprefix(".")),
        f"the key {key!r} is not known here{_meant(near)}",
        hint=f"Known here: {', '.join(known)}. A key of your own begins with x-.",
        key=key,
        near_match=near,
    )


def _unknown_word(found: Json, known: list[str], place: Place) -> RegistryInvalidError:
    near = near_match(str(found), known)
    fault = f"{_shown(found)} is not accepted{_meant(near)}"
    return invalid(place, fault, hint=f"Accepted: {', '.join(known)}.", near_match=near)


def _meant(near: str | None) -> str:
    return f"; did you mean {near!r}?" if near else ""


def _at(tree: Node, path: Iterable[str | int]) -> Node:
    node = tree
    for step in path:
        if isinstance(node, Mapping):
            node = node.fields()[str(step)].value
        elif isinstance(node, Sequence):
            node = node.members[int(step)].value
    return node


def _with_path(place: Place, path: Iterable[str | int]) -> Place:
    spelt = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return place._replace(path=spelt.removeprefix("."))


def _shown(found: Json) -> str:
    if isinstance(found, dict):
        return "a mapping"
    if isinstance(found, list):
        return "a list"
    return repr(found) if len(repr(found)) <= 80 else f"{repr(found)[:80]}…"


def _wanted(kinds: str | list[str]) -> str:
    names = [kinds] if isinstance(kinds, str) else [kind for kind in kinds if kind != "null"]
    return " or ".join(_WORDS[name] for name in names)
