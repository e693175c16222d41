"""Patterns with free runs, compared as the sets of words that they match.

A pattern is a sequence of items; an item matches one letter, and an empty item is a *run*, which
matches any number of letters. What a letter is, and when two items agree, the caller says: a name is
such a pattern of characters, a path one of names. Each comparison walks the two patterns once against
each other, so its cost is the product of their lengths whatever they look like.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

Item = TypeVar("Item", bound=tuple[Any, ...])


def settle(items: Iterable[Item], free: Item) -> list[Item]:
    """Repeated runs are one, a run stands behind the free items beside it, and `?*` alone is `*`.

    `free` is the item that matches every letter (`?`). The last because neither a name nor a path is empty.
    """
    settled: list[Item] = []
    for item in items:
        after_run = bool(settled) and not settled[-1]
        if item == free and after_run:
            settled.insert(-1, item)
        elif item or not after_run:
            settled.append(item)
    return settled[1:] if len(settled) == 2 and settled[0] == free and not settled[1] else settled


def meet(left: Sequence[Item], right: Sequence[Item], agree: Callable[[Item, Item], bool]) -> bool:
    """Whether two sequences of items with free runs (empty items) have a word in common.

    `row[j]` says so of what is left from i on and right from j on. A run either ends here (the next
    item takes over) or swallows one item of the other side.
    """
    below = _runs_only(right)
    for item in reversed(left):
        row = [not item and below[-1]] * (len(right) + 1)
        for j in range(len(right) - 1, -1, -1):
            if item and right[j]:
                row[j] = below[j + 1] and agree(item, right[j])
            else:
                row[j] = below[j] or row[j + 1]
        below = row
    return below[0]


def _runs_only(items: Sequence[Item]) -> list[bool]:
    """For each position, whether the rest may be nothing at all."""
    free = [True]
    for item in reversed(items):
        free.append(free[-1] and not item)
    return free[::-1]


def cover(outer: Sequence[Item], inner: Sequence[Item], free: Item, covers: Callable[[Item, Item], bool]) -> bool:
    """Whether `outer` matches `inner` read as a word in which a run is a letter that only runs take.

    Free items before a run make it a run of at least so many items (`roomy`): it may take a run of
    `inner` before it has them.
    """
    below = [False] * len(inner) + [True]
    roomy = False
    for item in reversed(outer):
        roomy = not item or (roomy and item == free)
        row = [not item and below[-1]] * (len(inner) + 1)
        for j in range(len(inner) - 1, -1, -1):
            if not item:
                row[j] = below[j] or row[j + 1]
            elif not inner[j]:
                row[j] = roomy and row[j + 1]
            else:
                row[j] = below[j + 1] and covers(item, inner[j])
        below = row
    return below[0]
