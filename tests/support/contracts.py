"""Every JSON document that a test sees is held against the schema that it names.

A document says `schema_version: todo_v1`; its contract is `schemas/todo_v1.schema.json`.
A document without a schema is a failure, not a pass.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

SCHEMAS = Path(__file__).resolve().parents[2] / "schemas"
_SUFFIX = ".schema.json"


def read_document(text: str) -> dict[str, Any]:
    """The one JSON object that `text` is: no second document, no double key, no NaN."""
    try:
        document = json.loads(text, object_pairs_hook=_unique_keys, parse_constant=_no_constant)
    except ValueError as error:
        raise AssertionError(f"not one JSON document ({error}): {text[:2000]!r}") from error
    assert isinstance(document, dict), f"the document is no object: {text[:200]!r}"
    return document


def check_document(document: dict[str, Any]) -> None:
    """Fail unless the document names a schema of ours and satisfies it."""
    version = document.get("schema_version")
    assert isinstance(version, str), f"no schema_version: {_brief(document)}"
    assert version in schema_names(), f"no schemas/{version}{_SUFFIX} for {_brief(document)}"
    faults = [
        f"  {fault.json_path}: {fault.message[:400]}" for fault in _validator(version).iter_errors(document)
    ]
    assert not faults, "\n".join([f"breaks {version}:", *faults, _brief(document)])


@cache
def schema_names() -> frozenset[str]:
    return frozenset(path.name.removesuffix(_SUFFIX) for path in SCHEMAS.glob(f"*{_SUFFIX}"))


@cache
def load_schema(name: str) -> dict[str, Any]:
    schema = json.loads((SCHEMAS / f"{name}{_SUFFIX}").read_text(encoding="utf-8"))
    assert isinstance(schema, dict), name
    return schema


@cache
def _validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(load_schema(name), registry=_registry())


@cache
def _registry() -> Registry[Any]:
    registry: Registry[Any] = Registry()
    for name in schema_names():
        schema = load_schema(name)
        resource = Resource.from_contents(schema, default_specification=DRAFT202012)
        for uri in {f"{name}{_SUFFIX}", schema.get("$id", f"{name}{_SUFFIX}")}:
            registry = registry.with_resource(uri, resource)
    return registry


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError(f"a key stands twice among {keys}")
    return dict(pairs)


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _brief(document: dict[str, Any]) -> str:
    return json.dumps(document)[:1500]
