"""What every check of the database looks at, and how it says what it found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.finding import Finding, Severity
from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopx.app.project import Registry
    from loopx.app.registry_text import RegistryText
    from loopx.core.errors import LoopxError
    from loopx.core.instant import Instant
    from loopx.store.connection import Connection

    Progress = Callable[[str], None]


class Case(Value):
    """One snapshot; `registry` is None where its file cannot be read."""

    db: Connection
    registry: Registry | None
    registry_text: RegistryText
    now: Instant
    progress: Callable[[str], None]


def error(code: str, subject: str, message: str, *, fixable: bool = False) -> Finding:
    """The state cannot be trusted until this is mended."""
    return Finding(code, Severity.ERROR, subject, message, fixable)


def warning(code: str, subject: str, message: str, *, fixable: bool = False) -> Finding:
    """Sound, and somebody should act."""
    return Finding(code, Severity.WARNING, subject, message, fixable)


def info(code: str, subject: str, message: str, *, fixable: bool = False) -> Finding:
    """Sound and ordinary."""
    return Finding(code, Severity.INFO, subject, message, fixable)


def of_error(subject: str, exc: LoopxError, *, fixable: bool = False) -> Finding:
    """What a refusal of the storage or of the registry says, as a finding with the same code."""
    hint = f" {exc.hint}" if exc.hint else ""
    return error(exc.code, subject, f"{exc.message}.{hint}", fixable=fixable)
