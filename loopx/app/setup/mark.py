"""The mark of a managed piece: its version, its profile, and how to take it out without a trace."""

from __future__ import annotations

import re

from loopx.core.errors import SetupImpossibleError
from loopx.core.value import Value
from loopx.settings import LEAD as LEAD  # noqa: PLC0414 - one of the two profiles

VERSION = 1  # of what is written; an older piece is brought up to date by `setup`
SIGN = b"loopx:setup v"  # what every piece holds
WORKER = "worker"
PROFILES = (LEAD, WORKER)  # what a session is for
_FORM = re.compile(r"loopx:setup v(\d+)(?: role=(\w+)(?: agent=([^\s\"]+))? pad=(\d+)\+(\d+) at=(\d+) made=(\d+))?")


class Wish(Value):
    """For whom a piece is written; what is None stays as it was, and is `lead` and nobody in a new piece."""

    role: str | None = None
    agent_id: str | None = None


class Mark(Value):
    """What the piece says about itself.

    `before` and `after` count the characters around it that came with it; `level` how many of the containers that
    hold it are not its own; `made` is 0 for a file that was there, otherwise 1 and the folders made for it.
    """

    role: str
    agent_id: str | None = None
    before: int = 0
    after: int = 0
    level: int = 0
    made: int = 0

    def __str__(self) -> str:
        agent = f" agent={self.agent_id}" if self.agent_id else ""
        place = f"pad={self.before}+{self.after} at={self.level} made={self.made}"
        return f"loopx:setup v{VERSION} role={self.role}{agent} {place}"

    def wished(self, wish: Wish) -> Mark:
        """The mark with what the wish names."""
        return self._replace(role=wish.role or self.role, agent_id=wish.agent_id or self.agent_id)


def mark_in(text: str) -> Mark | None:
    """The mark that the text holds, if any. SetupImpossibleError for one of a newer version."""
    found = _FORM.search(text)
    if found is None:
        return None
    if int(found[1]) > VERSION or found[2] not in PROFILES:
        raise SetupImpossibleError(
            f"another loopx has written this piece (version {found[1]}; this one writes {VERSION})",
            hint="Use that loopx here too.",
        )
    return Mark(found[2], found[3], *(int(found[group]) for group in (4, 5, 6, 7)))
