"""`schema list|show|check`: the contracts, for whoever writes a harness."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from loopx.app.page import page_keys
from loopx.contracts.schema import check_document, load_schema, schema_names
from loopx.core.errors import DocumentInvalidError

if TYPE_CHECKING:
    from loopx.app.mutation import Document
    from loopx.app.page import Page


def list_schemas(page: Page) -> Document:
    """The contracts by name, with a sentence of each."""
    numbered = list(enumerate(schema_names(), start=1))[page.after :]
    shown = numbered[: page.limit]
    return {
        "schema_version": "schema_list_v1",
        "ok": True,
        "schemas": [{"name": name, "description": _first_sentence(name)} for _, name in shown],
        "total": len(schema_names()),
        **page_keys([number for number, _ in numbered], len(numbered), page.limit),
    }


def _first_sentence(name: str) -> str:
    first, stop, _ = str(load_schema(name)["description"]).partition(". ")
    return first + stop.strip()


def show_schema(name: str) -> Document:
    """One contract, whole. SchemaNotFoundError."""
    return {"schema_version": "schema_v1", "ok": True, "name": name, "schema": load_schema(name)}


def check_text(text: str) -> Document:
    """Whether the text is one JSON document that satisfies the contract that it names.

    DocumentInvalidError with the places, SchemaNotFoundError.
    """
    try:
        document = json.loads(text, object_pairs_hook=_unique_keys, parse_constant=_no_constant)
    except (ValueError, RecursionError) as exc:
        raise DocumentInvalidError(
            f"this is not one JSON document: {exc}", hint="Pass exactly what a command printed."
        ) from exc
    return {"schema_version": "schema_check_v1", "ok": True, "name": check_document(document), "valid": True}


def _unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    keys = [key for key, _ in pairs]
    twice = next((key for key in keys if keys.count(key) > 1), None)
    if twice is not None:
        raise ValueError(f"the key {twice!r} stands twice")
    return dict(pairs)


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")
