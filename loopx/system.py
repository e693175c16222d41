"""The real clock, ids and tokens: the only module that may ask for time or chance."""

from __future__ import annotations

import os
import time

from loopx.core.instant import SECOND, Duration, Instant

_CROCKFORD = b"0123456789abcdefghjkmnpqrstvwxyz" * 8  # a letter for every byte, from five of its bits
_ID_LENGTH = 10  # 50 random bits: a million ids collide with a chance below 1 in 2,000


def monotonic() -> float:
    """Seconds of a clock that only measures waiting: nobody can set it, and it has no date."""
    return time.monotonic()


class SystemClock:
    def now(self) -> Instant:
        return time.time_ns() // 1_000


class SystemSleeper:
    def sleep(self, duration: Duration) -> None:
        time.sleep(duration / SECOND)


class RandomIds:
    def new(self, prefix: str) -> str:
        return f"{prefix}_{os.urandom(_ID_LENGTH).translate(_CROCKFORD).decode()}"


class RandomTokens:
    def token(self) -> str:
        raw = bytearray(os.urandom(16))
        raw[6] = raw[6] & 0x0F | 0x40  # version 4
        raw[8] = raw[8] & 0x3F | 0x80  # variant of RFC 9562
        text = raw.hex()
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
