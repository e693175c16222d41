"""What an examination says on the wire: bounded, the worst first."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from loopx.core.finding import Severity, is_healthy

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopx.app.doctor.examine import Examined
    from loopx.app.mutation import Document
    from loopx.core.finding import Finding

DOCTOR_SCHEMA = "doctor_v1"
SHOWN_PER_CODE = 20  # the first ones tell what is wrong; a torn table breaks a rule in every row
_ORDER = tuple(Severity)


def report(examined: Examined, *, fixed: Examined | None = None) -> Document:
    """The document; with `fixed`, what was settled too."""
    shown = _shown(examined.findings)
    document: Document = {
        "schema_version": DOCTOR_SCHEMA,
        "ok": True,
        "healthy": is_healthy(examined.findings),
        "findings": [_document(finding) for finding in shown],
        "total": len(examined.findings),
        "truncated": len(shown) < len(examined.findings),
        "counts": dict(sorted(Counter(finding.code for finding in examined.findings).items())),
        "state": examined.state,
    }
    if fixed is not None:
        document["fixed"] = [_document(finding) for finding in _shown(fixed.findings)]
    return document


def _shown(findings: Iterable[Finding]) -> list[Finding]:
    ranked = sorted(findings, key=lambda finding: _ORDER.index(finding.severity))  # stable: the order of checks
    number: Counter[str] = Counter()
    shown = []
    for finding in ranked:
        number[finding.code] += 1
        if number[finding.code] <= SHOWN_PER_CODE:
            shown.append(finding)
    return shown


def _document(finding: Finding) -> Document:
    return {
        "code": finding.code,
        "severity": finding.severity.value,
        "subject": finding.subject,
        "message": finding.message,
        "fixable": finding.fixable,
    }
