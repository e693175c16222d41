"""The contracts as files: where they are, what they say, and whether a document keeps the one it names."""

from __future__ import annotations

import json
import os
from functools import cache
from typing import TYPE_CHECKING, Any

from loopx.core.errors import DocumentInvalidError, SchemaNotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jsonschema import Draft202012Validator, ValidationError
    from referencing import Registry

Json = Any  # JSON data on its way into the validator; nothing else reads it

SUFFIX = ".schema.json"
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_PLACES = (
    os.path.join(_PACKAGE, "schemas"),  # in an installed package
    os.path.join(os.path.dirname(_PACKAGE), "schemas"),  # in a checkout
)
_FAULTS_SHOWN = 10  # the first ones tell what is wrong; a wrong shape breaks many rules at once
_MESSAGE_LENGTH = 300  # the validator quotes the value, which may be long


@cache
def schema_names() -> tuple[str, ...]:
    """The names of all contracts, sorted."""
    names = (name.removesuffix(SUFFIX) for name in os.listdir(schema_folder()) if name.endswith(SUFFIX))
    return tuple(sorted(names))


@cache
def load_schema(name: str) -> dict[str, Json]:
    """The contract of that name; SchemaNotFoundError with the near match."""
    if name not in schema_names():
        from loopx.core.name import near_match

        near = near_match(name, schema_names())
        meant = f"; did you mean {near!r}?" if near else ""
        raise SchemaNotFoundError(
            f"there is no contract {name!r}{meant}", hint="`loopx schema list` shows the names.", name=name
        )
    with open(os.path.join(schema_folder(), name + SUFFIX), encoding="utf-8") as file:
        schema: dict[str, Json] = json.load(file)
    return schema


@cache
def schema_folder() -> str:
    """The folder of the contracts: in the package, or beside it in a checkout."""
    return next(folder for folder in _PLACES if os.path.isdir(folder))


def check_document(document: Json) -> str:
    """The contract's name where the document satisfies it.

    DocumentInvalidError with the first faults and their places, SchemaNotFoundError for a
    `schema_version` that this version does not know.
    """
    name = document.get("schema_version") if isinstance(document, dict) else None
    if not isinstance(name, str):
        raise DocumentInvalidError(
            "the document does not say which contract it follows",
            hint="It needs a schema_version; `loopx schema list` shows the names.",
        )
    faults = sorted(_validator(name).iter_errors(document), key=lambda fault: fault.json_path)
    if faults:
        raise _refusal(name, faults)
    return name


def _refusal(name: str, faults: list[ValidationError]) -> DocumentInvalidError:
    shown = [{"path": fault.json_path, "message": fault.message[:_MESSAGE_LENGTH]} for fault in faults]
    first = shown[0]
    return DocumentInvalidError(
        f"the document breaks {name} at {first['path']}: {first['message']}",
        hint=f"`loopx schema show {name}` prints the contract.",
        name=name,
        faults=shown[:_FAULTS_SHOWN],
        faults_total=len(shown),
    )


@cache
def _validator(name: str) -> Draft202012Validator:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(load_schema(name), registry=_registry())


@cache
def _registry() -> Registry[Json]:
    from referencing import Registry
    from referencing.jsonschema import DRAFT202012

    return Registry[Json]().with_resources((uri, DRAFT202012.create_resource(schema)) for uri, schema in _addressed())


def _addressed() -> Iterator[tuple[str, Json]]:
    for name in schema_names():
        yield name + SUFFIX, load_schema(name)
