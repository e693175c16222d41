"""Resume conditions: when a deferred todo wakes, in a form that a machine can test (W10.5)."""

from __future__ import annotations

from enum import StrEnum

from loopx.core.errors import ResumeConditionInvalidError, UsageError
from loopx.core.instant import Instant, format_instant, parse_instant
from loopx.core.value import Value

_FORMS = "todo_done:ID, pr_merged:REF, capacity_available:POOL, at:TIME or in:DUR"


class ResumeKind(StrEnum):
    TODO_DONE = "todo_done"
    PR_MERGED = "pr_merged"
    CAPACITY_AVAILABLE = "capacity_available"
    AT = "at"


class ResumeCondition(Value):
    """A kind and what it refers to; `at_us` is set exactly for `at`."""

    kind: ResumeKind
    ref: str
    at_us: Instant | None = None


def parse_resume_condition(text: str, *, now: Instant) -> ResumeCondition:
    """The condition of its spelling; `in:DUR` counts from `now` and becomes `at:`.

    ResumeConditionInvalidError with the accepted forms and the nearest kind.
    """
    kind, colon, ref = text.strip().partition(":")
    ref = ref.strip()
    if kind in ("in", "at"):
        return _at(text, text.strip() if kind == "in" else ref, now)
    if not colon or not ref or not ref.isprintable() or kind not in tuple(ResumeKind):
        raise _invalid(text, kind)
    return ResumeCondition(ResumeKind(kind), ref)


def _at(text: str, spelling: str, now: Instant) -> ResumeCondition:
    try:
        instant = parse_instant(spelling, now=now)
    except UsageError as exc:
        raise ResumeConditionInvalidError(exc.message, hint=f"A condition is {_FORMS}.", value=text) from exc
    return ResumeCondition(ResumeKind.AT, format_instant(instant), instant)


def _invalid(text: str, kind: str) -> ResumeConditionInvalidError:
    from loopx.core.name import near_match

    near = near_match(kind, [*ResumeKind, "in"])
    meant = f"; did you mean {near!r}?" if near and near != kind else ""
    return ResumeConditionInvalidError(
        f"{text!r} is not a resume condition{meant}", hint=f"A condition is {_FORMS}.", value=text
    )
