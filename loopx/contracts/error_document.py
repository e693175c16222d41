"""A refusal on the wire: the same document at every edge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopx.core.errors import LoopxError


def error_document(error: LoopxError, warnings: Iterable[str] = ()) -> dict[str, Any]:
    """The `error_v1` document of a refusal."""
    return {
        "schema_version": "error_v1",
        "ok": False,
        "error": {
            "code": error.code,
            "message": error.message,
            "hint": error.hint,
            "details": error.details,
        },
        "warnings": list(warnings),
    }
