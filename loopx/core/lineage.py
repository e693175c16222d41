"""What a todo came out of, what it replaced and what replaced it (W10)."""

from __future__ import annotations

from loopx.core.value import Value

CHAIN_LIMIT = 10  # ids of one chain; the last of them shows its own


class Lineage(Value):
    """The chains of one todo, each nearest first and at most `CHAIN_LIMIT` long."""

    todo_id: str
    predecessor: str | None
    ancestors: tuple[str, ...]
    ancestors_truncated: bool
    successors: tuple[str, ...]
    supersedes: tuple[str, ...]
    replaced_by: tuple[str, ...]
