"""SHA-256 without the import cost of hashlib."""

from __future__ import annotations

try:  # CPython 3.12 and newer
    from _sha2 import sha256  # type: ignore[import-not-found]
except ImportError:
    try:  # CPython 3.11
        from _sha256 import sha256  # type: ignore[import-not-found]
    except ImportError:  # another build or interpreter
        from hashlib import sha256


def sha256_bytes(data: bytes) -> bytes:
    """The 32 bytes of the SHA-256 of `data`."""
    return bytes(sha256(data).digest())


def sha256_hex(data: bytes) -> str:
    """The SHA-256 of `data` as 64 lower-case hexadecimal digits."""
    return str(sha256(data).hexdigest())
