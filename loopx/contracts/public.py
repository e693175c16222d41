"""Documents that leave the machine: every text in them masked (W11.5, design.md §4)."""

from __future__ import annotations

from typing import Any

from loopx.core.secret import masked

Document = dict[str, Any]


def public(document: Document) -> Document:
    """The document with every text masked; keys, numbers and structure stay."""
    return {key: _public(value) for key, value in document.items()}


def is_public(document: Document) -> bool:
    """Whether masking would change nothing."""
    return public(document) == document


def _public(value: Any) -> Any:
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, list):
        return [_public(item) for item in value]
    return public(value) if isinstance(value, dict) else value
