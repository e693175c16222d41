"""Command lines that can be pasted: every word quoted where a shell needs it."""

from __future__ import annotations

_PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%_-+=:,./"


def command(*words: str) -> str:
    """`loopx` and the words, so that `shlex.split` and `sh -c` read back exactly these."""
    return " ".join(("loopx", *(quoted(word) for word in words)))


def quoted(word: str) -> str:
    """The word, in single quotes where it holds anything that a shell reads."""
    if word and not word.strip(_PLAIN):
        return word
    return "'" + word.replace("'", "'\"'\"'") + "'"
