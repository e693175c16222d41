"""What a chat worker's tools may do: allowed, asked on the terminal, or denied, by tool and path.

Of several rules that fit the strictest counts, whatever their order. Where none fits, reading and the team's
own tools are allowed, and what changes files or starts something is asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from loopx.core.errors import UsageError
from loopx.core.glob import globs_intersect, normalise_write_scope
from loopx.core.name import near_match
from loopx.core.spelling import composed

if TYPE_CHECKING:
    from collections.abc import Iterable

EVERY_TOOL = "*"
WITH_PATHS = ("read_file", "write_file")
ASKED_FOR = frozenset(("shell", "write_file", "spawn_teammate"))  # where no rule fits
_SPECIAL = "*?[{}~:"  # what means something in a glob, anywhere or as its head


class Verdict(IntEnum):
    """Stricter is greater."""

    ALLOW = 0
    ASK = 1
    DENY = 2


@dataclass(frozen=True, slots=True)
class Rule:
    """A verdict on a tool, or on a tool's work on the paths of a glob relative to the workspace."""

    verdict: Verdict
    tool: str
    glob: str | None = None

    def fits(self, tool: str, path: str | None) -> bool:
        """Whether the rule speaks about this call."""
        if self.tool not in (EVERY_TOOL, tool):
            return False
        return self.glob is None or (path is not None and _is_in(self._spelt(path), self._spelt(self.glob)))

    def _spelt(self, text: str) -> str:
        """A prohibition also holds for a file system that does not know case."""
        return text.casefold() if self.verdict is Verdict.DENY else text


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules of one worker."""

    rules: tuple[Rule, ...] = ()

    def judge(self, tool: str, path: str | None = None) -> Verdict:
        """What becomes of a call of the tool, with its path where it works on one."""
        found = [rule.verdict for rule in self.rules if rule.fits(tool, path)]
        if found:
            return max(found)
        return Verdict.ASK if tool in ASKED_FOR else Verdict.ALLOW


def parse_policy(
    known: Iterable[str], *, allow: Iterable[str] = (), ask: Iterable[str] = (), deny: Iterable[str] = ()
) -> Policy:
    """The policy of `TOOL` and `TOOL:GLOB` texts; UsageError for an unknown tool, or a path where the tool has none."""
    names = tuple(known)
    given = ((Verdict.ALLOW, allow), (Verdict.ASK, ask), (Verdict.DENY, deny))
    return Policy(tuple(_rule(verdict, text, names) for verdict, texts in given for text in texts))


def _rule(verdict: Verdict, text: str, known: tuple[str, ...]) -> Rule:
    tool, colon, glob = text.partition(":")
    tool = tool.strip()
    if tool != EVERY_TOOL and tool not in known:
        near = near_match(tool, known)
        raise UsageError(
            f"there is no tool {tool!r}{f'; did you mean {near!r}?' if near else ''}",
            hint=f"A rule is TOOL or TOOL:GLOB; the tools are {', '.join(known)}, or {EVERY_TOOL}.",
        )
    if not colon:
        return Rule(verdict, tool)
    if tool not in WITH_PATHS:
        raise UsageError(
            f"{tool} works on no path, so a rule about it has no glob",
            hint=f"Only {' and '.join(WITH_PATHS)} take one, such as write_file:docs/**.",
        )
    return Rule(verdict, tool, normalise_write_scope(glob))


def _is_in(path: str, glob: str) -> bool:
    return globs_intersect(glob, "".join(_literal(char) for char in composed(path)))


def _literal(char: str) -> str:
    """The character as a glob that matches it alone; a `!` cannot begin a class, so it shares one with the blank."""
    if char == "!":
        return "[ -!]"
    return f"[{char}]" if char in _SPECIAL or char.isspace() else char
