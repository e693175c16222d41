"""Strict input schemas (JSON Schema 2020-12): unknown fields are refused, ids have one spelling (S3.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.core.errors import UsageError
from loopx.core.name import near_match

if TYPE_CHECKING:
    from collections.abc import Mapping

    from loopx.app.toolset.tool import Arguments, Tool

Schema = dict[str, Any]

_FAULTS_SHOWN = 5  # the first ones tell what is wrong
_MESSAGE_LENGTH = 200  # the validator quotes the value, which may be long

# A `$` of Python's `re` also stands before a final line end: the length keeps that one out.
TASK_ID: Schema = {"type": "string", "pattern": "^todo_[0-9a-hjkmnp-tv-z]{10}$", "maxLength": 15}
CLAIM_TOKEN: Schema = {
    "type": "string",
    "pattern": "^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$",
    "maxLength": 36,
}


def strict_object(properties: Mapping[str, Schema], required: tuple[str, ...] = ()) -> Schema:
    """The schema of an object with these properties and no others."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


def text_of(description: str, longest: int, **more: Any) -> Schema:
    """The schema of a text that says something."""
    return {"type": "string", "description": description, "minLength": 1, "maxLength": longest, **more}


def checked_arguments(tool: Tool, arguments: object) -> Arguments:
    """The arguments, if they satisfy the tool's schema; UsageError with the first faults and their places."""
    from jsonschema import Draft202012Validator

    faults = sorted(Draft202012Validator(tool.schema).iter_errors(arguments), key=lambda fault: fault.json_path)
    if not faults:
        assert isinstance(arguments, dict)
        return arguments
    shown = [{"path": fault.json_path, "message": fault.message[:_MESSAGE_LENGTH]} for fault in faults]
    first = f"{shown[0]['path']}: {shown[0]['message']}{_meant(tool, arguments)}"
    raise UsageError(
        f"{tool.name} does not take these arguments: {first}",
        hint=f"{tool.name} takes {', '.join(tool.schema['properties']) or 'nothing'}.",
        tool=tool.name,
        faults=shown[:_FAULTS_SHOWN],
        faults_total=len(shown),
    )


def _meant(tool: Tool, arguments: object) -> str:
    """`; did you mean …?` where a field is nearly one that the tool has."""
    known = tuple(tool.schema["properties"])
    unknown = [name for name in arguments if name not in known] if isinstance(arguments, dict) else []
    near = near_match(unknown[0], known) if unknown else None
    return f"; did you mean {near!r}?" if near else ""
