"""The server's clock, kept by what was last heard of it: the same instant on every host (S2.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loopx.core.instant import Duration, Instant
    from loopx.ports import Clock


class ServerClock:
    """This machine's clock, set right by each answer of the server; until the first one it is as it is."""

    def __init__(self, local: Clock) -> None:
        self._local = local
        self._ahead: Duration = 0

    def hear(self, told: Instant) -> Instant:
        """Take over what the server has just said."""
        self._ahead = told - self._local.now()
        return told

    def now(self) -> Instant:
        return self._local.now() + self._ahead
