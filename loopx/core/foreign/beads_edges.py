"""The dependencies of beads: nineteen types, of which three block and one says what is a part of what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.core.foreign.fields import id_of
from loopx.core.foreign.oddities import unknown_value
from loopx.core.foreign.record import Link
from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopx.core.foreign.oddities import Oddities

BLOCKING = frozenset(("blocks", "waits-for", "conditional-blocks"))
PARENT = "parent-child"
REVERSED = "blocked-by"  # no type of beads; other tools write it, and not all of them mean the same
LINKS = frozenset(
    (
        "approved-by",
        "assigned-to",
        "attests",
        "authored-by",
        "caused-by",
        "delegated-from",
        "discovered-from",
        "duplicates",
        "related",
        "relates-to",
        "replies-to",
        "supersedes",
        "tracks",
        "until",
        "validates",
    )
)
_EXTERNAL = "external:"  # a target in another project
_PLAIN_KEYS = frozenset(("issue_id", "depends_on_id", "type"))


class Edges(Value):
    """What an issue waits for, what it is a part of, and its other relations.

    `waited_for_by` are the issues that wait for it, where `blocked-by` is read backwards; `odd` are edges that
    say more than their ends and type, as they stood.
    """

    depends_on: tuple[str, ...] = ()
    parent: str | None = None
    links: tuple[Link, ...] = ()
    waited_for_by: tuple[str, ...] = ()
    odd: tuple[Any, ...] = ()


NO_EDGES = Edges()


class EdgeReader:
    """Reads the edges of one issue after the other."""

    def __init__(self, oddities: Oddities, *, reverse_blocked_by: bool) -> None:
        self._oddities = oddities
        self._reverses = reverse_blocked_by

    def read(self, issue_id: str, edges: Iterable[object], line: int | None) -> Edges:
        """The edges by what they mean here; nothing of them is lost."""
        draft = _Draft()
        for edge in edges:
            if not self._take(draft, issue_id, edge, line) or _says_more(edge):
                draft.odd.append(edge)
        return draft.edges()

    def _take(self, draft: _Draft, issue_id: str, edge: object, line: int | None) -> bool:
        """Put the edge where it belongs; False where it can only be kept as it is."""
        if not isinstance(edge, dict):
            self._oddities.see("dependency_malformed", "a dependency is no object; it is kept as it is", line)
            return False
        source, target = edge.get("issue_id"), id_of(edge.get("depends_on_id"))
        if target is None or source not in (None, "", issue_id):
            fault = "names no target" if target is None else "belongs to another issue than the one it stands in"
            self._oddities.see("dependency_malformed", f"a dependency {fault}; it is kept as it is", line)
            return False
        kind = edge.get("type") or "blocks"
        if kind in BLOCKING and not target.startswith(_EXTERNAL):
            draft.depends_on.append(target)
        elif kind == PARENT and draft.parent in (None, target):
            draft.parent = target
        elif kind == REVERSED and self._reverses:
            draft.waited_for_by.append(target)
        else:
            draft.links.append(Link(str(kind), target))
            self._note(kind, target, line)
        return True

    def _note(self, kind: object, target: str, line: int | None) -> None:
        """Say what a person might take for a dependency and is none here."""
        if kind in BLOCKING:
            message = "a dependency on another project holds nobody here; it is kept as a link"
            self._oddities.see("dependency_external", message, line)
        elif kind == PARENT:
            self._oddities.see("parent_twice", f"a second parent, {target}, is kept as a link", line)
        elif kind == REVERSED:
            message = "a dependency of type 'blocked-by' may mean either direction; it is kept as a link"
            self._oddities.see("blocked_by_unclear", message, line)
        elif kind not in LINKS:
            self._oddities.see(*unknown_value("dependency_type", kind, "it is kept as a link"), line)


class _Draft:
    """Edges while they are collected."""

    def __init__(self) -> None:
        self.depends_on: list[str] = []
        self.parent: str | None = None
        self.links: list[Link] = []
        self.waited_for_by: list[str] = []
        self.odd: list[Any] = []

    def edges(self) -> Edges:
        return Edges(
            tuple(dict.fromkeys(self.depends_on)),
            self.parent,
            tuple(dict.fromkeys(self.links)),
            tuple(self.waited_for_by),
            tuple(self.odd),
        )


def _says_more(edge: object) -> bool:
    """Whether there is more in it than its ends and type."""
    return isinstance(edge, dict) and any(
        key not in _PLAIN_KEYS and value not in (None, "", "{}") for key, value in edge.items()
    )
