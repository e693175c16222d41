"""Text of others inside a prompt: data that can be read and that can do nothing.

Whoever may write a todo could write a line that closes the tag or the fence around it, or one that a
terminal shows in another order than a model reads it. The words stay; what could act is spelt out.
"""

from __future__ import annotations

_LESS_THAN = "&lt;"  # with no `<` left, no text opens or closes a tag
_FENCE_MARKS = ("`", "~")
_HIDDEN = frozenset("\u00ad\u061c\u180e\u200b\u200c\u200e\u200f\u2028\u2029\u2060\ufeff\u0085")
_HIDDEN_RANGES = (("\u202a", "\u202e"), ("\u2066", "\u2069"), ("\U000e0000", "\U000e007f"))


def as_data(text: str) -> str:
    """The text with `<` as `&lt;`, control and hidden characters as `\\u{…}`, and no line that is a fence.

    Line feeds and tabs stay. A run of three or more backticks or tildes loses its meaning by a backslash
    before each mark. Joiners of emoji (U+200D) stay, since they are part of what people write.
    """
    if text.isascii() and text.isprintable() and not _is_active(text):
        return text
    shown = "".join(_shown(char) for char in text)
    for mark in _FENCE_MARKS:
        shown = shown.replace(mark * 3, f"\\{mark}" * 3)
    return shown


def _is_active(text: str) -> bool:
    return "<" in text or any(mark * 3 in text for mark in _FENCE_MARKS)


def _shown(char: str) -> str:
    if char == "<":
        return _LESS_THAN
    if char in "\n\t":
        return char
    if char < " " or "\x7f" <= char <= "\x9f" or char in _HIDDEN or _in_hidden_range(char):
        return f"\\u{{{ord(char):x}}}"
    return char


def _in_hidden_range(char: str) -> bool:
    return any(first <= char <= last for first, last in _HIDDEN_RANGES)
