"""Every JSON document that a test sees is held against the schema that it names.

A document says `schema_version: todo_v1`; its contract is `schemas/todo_v1.schema.json`.
A document without a schema is a failure, not a pass.
"""

from __future__ import annotations

import json
from typing import Any

from loopx.contracts import schema
from loopx.core.errors import LoopxError


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
    try:
        schema.check_document(document)
    except LoopxError as error:
        raise AssertionError(f"{error.message}\n{json.dumps(error.details)}") from error


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError(f"a key stands twice among {keys}")
    return dict(pairs)


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
