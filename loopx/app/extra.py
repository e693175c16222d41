"""Modules that need packages of an extra: named, not imported, so that a plain installation works without them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from loopx.core.errors import ExtraMissingError

if TYPE_CHECKING:
    from types import ModuleType


def module_of_extra(module: str, extra: str) -> ModuleType:
    """The module of ours by that name; ExtraMissingError where a package of its extra is not installed."""
    try:
        return import_module(module)
    except ModuleNotFoundError as exc:
        if exc.name is None or exc.name.partition(".")[0] == "loopx":
            raise
        raise ExtraMissingError(
            f"this needs the package {exc.name}, which is not installed",
            hint=f"Install it with: pip install 'loopx[{extra}]'",
            extra=extra,
        ) from exc
