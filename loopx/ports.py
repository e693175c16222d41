"""What the program asks of the outside, as tiny protocols; `system.py` holds the real ones."""

from __future__ import annotations

from typing import Protocol

from loopx.core.instant import Duration, Instant


class Clock(Protocol):
    def now(self) -> Instant:
        """The current instant, in microseconds since the epoch (UTC)."""
        ...


class IdSource(Protocol):
    def new(self, prefix: str) -> str:
        """A fresh random id: `prefix`, `_` and ten lower-case Crockford base32 characters."""
        ...


class TokenSource(Protocol):
    def token(self) -> str:
        """A fresh claim token (UUID, version 4)."""
        ...


class Sleeper(Protocol):
    def sleep(self, duration: Duration) -> None:
        """Let that many microseconds pass."""
        ...
