"""The options by which a holder names its lease."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from loopx.cli.declare import NUMBER, option

if TYPE_CHECKING:
    from collections.abc import Callable

F = TypeVar("F", bound="Callable[..., Any]")


def lease_options(function: F) -> F:
    """`--lease-id` and `--expect-version`."""
    lease = option("--lease-id", metavar="ID", required=True, help="The lease.")
    version = option("--expect-version", type=NUMBER, required=True, help="Refuse unless the lease is at this version.")
    return lease(version(function))
