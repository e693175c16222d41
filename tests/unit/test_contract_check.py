"""The check that every document of every test passes through is seen to refuse."""

from __future__ import annotations

from typing import Any

import pytest

from loopx.contracts.schema import load_schema, schema_names
from tests.support.contracts import check_document, read_document


def refusal(**error: Any) -> dict[str, Any]:
    whole = {"code": "usage", "message": "no such option", "hint": None, "details": {}} | error
    return {"schema_version": "error_v1", "ok": False, "error": whole, "warnings": []}


def test_a_document_that_keeps_its_contract_passes() -> None:
    check_document(refusal())


@pytest.mark.parametrize(
    "document",
    [
        {"ok": True},
        {"schema_version": "nobody_wrote_this_v1", "ok": True},
        refusal(code="made_up"),
        refusal(message=""),
        refusal() | {"ok": True},
        refusal() | {"surprise": 1},
    ],
    ids=["no version", "no schema", "unknown code", "empty message", "success", "unknown key"],
)
def test_a_document_that_breaks_its_contract_fails(document: dict[str, Any]) -> None:
    with pytest.raises(AssertionError):
        check_document(document)


@pytest.mark.parametrize("text", ["", "{}{}", "{} trailing", "[]", '{"a": 1, "a": 2}', '{"a": NaN}', "nothing found"])
def test_what_is_not_one_object_fails(text: str) -> None:
    with pytest.raises(AssertionError):
        read_document(text)


@pytest.mark.parametrize("name", sorted(schema_names()))
def test_a_schema_is_valid_and_says_its_dialect(name: str) -> None:
    from jsonschema import Draft202012Validator

    schema = load_schema(name)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(schema)
