"""How wide a text is on a screen, and how it is made harmless to one.

A text may hold anything: escape sequences that would drive the terminal, marks that turn the
direction of what follows, characters of no width or of two. What is stored stays exact; only the
view shows control characters as signs.
"""

from __future__ import annotations

import unicodedata

_JOINER = "\u200d"  # joins emoji into one
_NEW_LINE = "⏎"
_PICTURES = {code: chr(0x2400 + code) for code in range(0x20)} | {0x7F: "␡"}
_TURNING = {  # embeddings, overrides and isolates: they would reorder the rest of the line
    code: f"‹{code:04X}›" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C)
}
_OTHER_CONTROLS = {code: f"‹{code:04X}›" for code in (*range(0x80, 0xA0), 0x2028, 0x2029)}
_SIGNS = _PICTURES | _TURNING | _OTHER_CONTROLS


def harmless(text: str) -> str:
    """The text with control characters as signs; a line end becomes ⏎."""
    return text.replace("\r\n", "\n").replace("\n", _NEW_LINE).translate(_SIGNS)


def harmless_lines(text: str) -> list[str]:
    """The lines of the text, each harmless; tabs become spaces."""
    lines = text.replace("\r\n", "\n").split("\n")
    return [harmless(line.expandtabs(4)) for line in lines]


def display_width(text: str) -> int:
    """Columns that a terminal gives the text."""
    if text.isascii():
        return len(text)
    width, joined = 0, False
    for character in text:
        width += 0 if joined else _width_of(character)
        joined = character == _JOINER
    return width


def padded(text: str, width: int) -> str:
    """The text with spaces up to the width."""
    return text + " " * (width - display_width(text))


def fitted(text: str, columns: int) -> str:
    """As much of the text as the columns hold, harmless; what is cut ends with a mark."""
    shown = harmless(text)
    if display_width(shown) <= columns:
        return shown
    shown = shown[:columns]  # no character is narrower than nothing, so more never fits
    while display_width(shown) >= columns:
        shown = shown[:-1]
    return shown + "…"


def _width_of(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1
