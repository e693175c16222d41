"""The control plane from Python: the use cases of the command line, typed (docs/reference/python-api.md)."""

from __future__ import annotations

from loopx.api.control_plane import ControlPlane, create_project
from loopx.core.errors import (
    BusyError,
    ConflictError,
    LoopxError,
    NotFoundError,
    RefusedError,
    StorageError,
    UsageError,
)

__all__ = [
    "BusyError",
    "ConflictError",
    "ControlPlane",
    "LoopxError",
    "NotFoundError",
    "RefusedError",
    "StorageError",
    "UsageError",
    "create_project",
]
