"""One spelling of what may be typed in several ways."""

from __future__ import annotations


def composed(text: str) -> str:
    """Composed characters (NFC), so that a word typed on another system is the same word."""
    if text.isascii():
        return text
    from unicodedata import normalize  # most text needs no table of characters

    return normalize("NFC", text)
