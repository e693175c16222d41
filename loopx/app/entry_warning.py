"""What was just written looks as if it held a credential: said once, at entry, and never repeated (W11.5).

Nothing is refused or changed: only whoever wrote it knows what it is. It is looked for in what the event
stores and in what the call said, so that no verb has to think of it.
"""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from loopx.store.events import Changes

_SHORTEST = 12  # characters; nothing shorter is recognised
_ALREADY_IDS = ("claim_token", "token", "sha256", "digest")  # columns of ours that no one types
_MOST_TEXTS = 2_000  # of one call are looked at, so that an import of 100,000 records costs nothing more
_MOST_KINDS = 3  # named in the warning


def secret_warnings(changes: Changes, *said: object) -> tuple[str, ...]:
    """One warning that names the kinds of credential in what was stored or said; none where there are none."""
    texts = dict.fromkeys(islice(chain(_texts(said), _stored(changes)), _MOST_TEXTS))
    suspects = [text for text in texts if len(text) >= _SHORTEST and not _is_plain_id(text)]
    if not suspects:
        return ()
    from loopx.core.secret import find_secrets  # most calls write nothing that could hold one

    kinds = dict.fromkeys(finding.kind for text in suspects for finding in find_secrets(text))
    if not kinds:
        return ()
    named = ", ".join(list(kinds)[:_MOST_KINDS])
    told = f"what was written seems to hold a credential ({named}): it is kept as given and masked where it leaves"
    return (f"{told}; change the credential, and next time name where it is kept",)


def _stored(changes: Changes) -> Iterator[str]:
    for rows in changes.values():
        for columns in rows.values():
            for name, (_, after) in columns.items():
                if name not in _ALREADY_IDS:
                    yield from _texts(after)


def _texts(value: object) -> Iterator[str]:
    """Every text in nested lists, tuples and mappings."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list | tuple | frozenset | set):
        for item in value:
            yield from _texts(item)


def _is_plain_id(text: str) -> bool:
    """`todo_0123456789` and the like, by far the most of what an event stores."""
    return len(text) < 24 and text.islower() and text.replace("_", "").isalnum()
