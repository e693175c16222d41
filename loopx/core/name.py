"""The one normaliser of names, and the near match of a mistyped one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

LONGEST_NAME = 80
_MARKS = "._:@/-"
_NEAR_ENOUGH = 0.6  # difflib's ratio below which two names look unrelated


def normalise_name(text: str, *, what: str) -> str:
    """The name in its one spelling: NFKC, without outer white space; UsageError for other characters.

    `what` names the kind in the refusal, such as `agent id`.
    """
    name = text
    if not text.isascii():
        import unicodedata

        name = unicodedata.normalize("NFKC", text)
    name = name.strip()
    if not 0 < len(name) <= LONGEST_NAME or not name[0].isalnum():
        raise _refusal(text, what)
    if not all(character.isalnum() or character in _MARKS for character in name):
        raise _refusal(text, what)
    return name


def near_match(name: str, known: Iterable[str]) -> str | None:
    """The known name that was probably meant, whatever its case, or None."""
    import difflib

    folded = {candidate.casefold(): candidate for candidate in known}
    close = difflib.get_close_matches(name.strip().casefold(), folded, n=1, cutoff=_NEAR_ENOUGH)
    return folded[close[0]] if close else None


def _refusal(text: str, what: str) -> UsageError:
    return UsageError(
        f"{text!r} cannot be a name ({what})",
        hint=f"A name has 1 to {LONGEST_NAME} letters, digits or {' '.join(_MARKS)} and begins with a letter or digit.",
        value=text,
    )
