"""What an examination of a project found: a code for scripts, and the fact in words."""

from __future__ import annotations

from enum import StrEnum

from loopx.core.value import Value


class Severity(StrEnum):
    ERROR = "error"  # the state cannot be trusted until it is mended
    WARNING = "warning"  # sound, and somebody should act
    INFO = "info"  # sound and ordinary; the next write settles it, or nobody need do anything


class Finding(Value):
    """One thing about `subject` (an id, a row or a file); `fixable` where `doctor --fix` can prove what is right."""

    code: str
    severity: Severity
    subject: str
    message: str
    fixable: bool = False


def is_healthy(findings: tuple[Finding, ...]) -> bool:
    """Whether none of them makes the state untrustworthy."""
    return all(finding.severity is not Severity.ERROR for finding in findings)
