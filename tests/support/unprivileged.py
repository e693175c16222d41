"""Permissions mean nothing to the superuser, who runs many a suite; so a test drops its rights for a while."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

_NOBODY = 65534


@contextmanager
def unprivileged() -> Iterator[None]:
    """Inside, file permissions count, whoever runs the tests."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(_NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
