"""Capabilities: what an executor can do, and which of them only the owner can give (W8).

A capability is a precondition, never a permission. A tool may be declared by whoever calls; a
credential, a token or access to production counts only when the registry gives it to the agent.
Which is which is read from whole words of the name (`githubToken` has the word `token`, `tokenizer`
has not), so that no list of exact names must be kept complete. In doubt a name is authority-like:
asking the owner once costs less than an agent that authorises itself.
"""

from __future__ import annotations

from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

    from loopx.core.goal import Goal

# Singular. What names an act (`deploy`, `publish`) is not here: gates govern acts, and a goal adds
# such words for itself.
AUTHORITY_WORDS = frozenset((
    "credential", "cred", "auth", "oauth", "jwt",
    "token", "secret", "password", "passwd", "passphrase", "passcode", "pwd", "apikey",
    "certificate", "cert", "keychain", "keyring", "vault", "kms",
    "admin", "sudo", "superuser",
    "production", "prod",
))  # fmt: skip
# Anywhere in a name, also where more follows (`api_key_rotation`).
AUTHORITY_PAIRS = frozenset(
    (first, "key") for first in ("api", "access", "private", "secret", "ssh", "signing", "encryption")
)
# Also recognised at the end of a longer word (`clientsecret`); no tool's name ends so.
AUTHORITY_ENDINGS = ("credential", "token", "secret", "password", "passphrase", "apikey")
# A name that ends in `key` names one that opens something (`deploy_key`), unless it says otherwise.
HARMLESS_KEYS = frozenset(("primary", "foreign", "sort", "partition", "public", "hot"))


class CapabilityKind(StrEnum):
    TOOL = "tool"  # missing: a bridge can be repaired
    AUTHORITY = "authority"  # missing: only the owner can give it


def capability_kind(name: str, extra_authority_words: Iterable[str] = ()) -> CapabilityKind:
    """The kind of a capability by the words of its name; the registry may add authority words (W8.3)."""
    words = _words(name)
    is_authority = (
        not AUTHORITY_WORDS.isdisjoint(words)
        or not AUTHORITY_PAIRS.isdisjoint(pairwise(words))
        or any(word.endswith(AUTHORITY_ENDINGS) for word in words)
        or _is_key(words)
        or any(_stands_in(_words(entry), words) for entry in extra_authority_words)
    )
    return CapabilityKind.AUTHORITY if is_authority else CapabilityKind.TOOL


def effective_capabilities(goal: Goal, agent_id: str, declared: Sequence[str] | None) -> frozenset[str]:
    """What the agent can count on: those on the call, or with none given those registered for it.

    An authority-like one on the call is left out unless the registry gives it to the agent.
    """
    agent = goal.agent(agent_id)
    registered = frozenset(agent.capabilities if agent is not None else ())
    if not declared:
        return registered
    return frozenset(
        name
        for name in declared
        if name in registered or capability_kind(name, goal.authority_capabilities) is CapabilityKind.TOOL
    )


def missing_capabilities(required: Iterable[str], available: Container[str]) -> tuple[str, ...]:
    """What is required and not available, in the declared order, each once."""
    return tuple(name for name in dict.fromkeys(required) if name not in available)


def _words(name: str) -> tuple[str, ...]:
    """The lower-case singular words of a name, split at signs, digits and changes of case."""
    parts: list[str] = []
    previous = " "
    for position, char in enumerate(name):
        if not char.isalpha():
            previous = " "
            continue
        following = name[position + 1 : position + 2]
        starts = char.isupper() and (previous.islower() or (previous.isupper() and following.islower()))
        if starts or not previous.isalpha():
            parts.append("")
        parts[-1] += char
        previous = char
    return tuple(_singular(part.lower()) for part in parts)


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _is_key(words: Sequence[str]) -> bool:
    return words[-1:] == ("key",) and not HARMLESS_KEYS.intersection(words[-2:-1])


def _stands_in(entry: tuple[str, ...], words: tuple[str, ...]) -> bool:
    """Whether the entry's words stand in the name, next to each other and in order."""
    length = len(entry)
    return length > 0 and any(words[at : at + length] == entry for at in range(len(words) - length + 1))
