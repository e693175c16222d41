"""The options by which a holder names its lease."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable

F = TypeVar("F", bound="Callable[..., Any]")


def lease_options(function: F) -> F:
    """`--lease-id` and `--expect-version`."""
    lease = click.option("--lease-id", metavar="ID", required=True, help="The lease.")
    version = click.option("--expect-version", type=int, help="Refuse unless the lease is at this version.")
    return lease(version(function))
