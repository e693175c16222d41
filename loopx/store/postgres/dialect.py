"""Our SQL as PostgreSQL reads it.

Every statement is written once, for SQLite. What PostgreSQL spells otherwise is little and local to a
token, so it is respelled when a statement is first used and kept.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_TOKENS = re.compile(
    r"""
      (?P<text>'(?:[^']|'')*')
    | (?<![:\w]):(?P<name>[a-z_]\w*)        # :now, and no ::cast
    | \?(?P<place>\d*)                      # ? and ?1
    | (?P<percent>%)
    | \bIS\s+(?P<negated>NOT\s+)?(?=[:?'])  # compared with a value, where NULL is one
    | (?P<hint>(?<=[\s(,])\+(?=[a-z]))      # keeps SQLite's planner from an index
    """,
    re.VERBOSE,
)


@lru_cache(maxsize=1_000)
def respelled(sql: str) -> str:
    """The statement with PostgreSQL's marks for bound values and its comparison with NULL."""
    return _TOKENS.sub(_respelled_token, sql)


def bound(text: str, values: Sequence[object] | Mapping[str, object]) -> Sequence[object] | Mapping[str, object]:
    """The values as the respelled text names them: what was numbered (`?1`) goes by name there."""
    if "%(at1)s" not in text or not isinstance(values, (list, tuple)):
        return values
    return {f"at{number}": value for number, value in enumerate(values, 1)}


def _respelled_token(found: re.Match[str]) -> str:
    kind = found.lastgroup
    if kind == "text":
        return found["text"].replace("%", "%%")
    if kind == "name":
        return f"%({found['name']})s"
    if kind == "place":
        return f"%(at{found['place']})s" if found["place"] else "%s"
    if kind == "percent":
        return "%%"
    if kind == "hint":
        return ""
    return "IS DISTINCT FROM " if found["negated"] else "IS NOT DISTINCT FROM "
