"""Resume conditions: when a deferred todo wakes, in a form that a machine can test (W10.5)."""

from __future__ import annotations

from enum import StrEnum

from loopx.core.errors import ResumeConditionInvalidError, UsageError
from loopx.core.instant import Instant, format_instant, parse_instant
from loopx.core.spelling import composed
from loopx.core.value import Value

_FORMS = "todo_done:ID, pr_merged:REF, capacity_available:POOL, at:TIME or in:DUR"
LONGEST_REF = 200  # characters; a condition is shown whole


class ResumeKind(StrEnum):
    TODO_DONE = "todo_done"  # the ref is a todo id
    PR_MERGED = "pr_merged"  # the ref is what `fact record` is told
    CAPACITY_AVAILABLE = "capacity_available"  # the ref is a pool
    AT = "at"  # the ref is an instant


class ResumeCondition(Value):
    """A kind and what it refers to; `at_us` is set exactly for `at`."""

    kind: ResumeKind
    ref: str
    at_us: Instant | None = None

    def __str__(self) -> str:
        return f"{self.kind}:{self.ref}"


def parse_resume_condition(text: str, *, now: Instant) -> ResumeCondition:
    """The condition of its spelling; `in:DUR` counts from `now` and becomes `at:`.

    ResumeConditionInvalidError with the accepted forms and the nearest kind. Whether the todo or the
    pool exists, and can ever be so, is asked where they are known.
    """
    kind, _, typed = text.strip().partition(":")
    if kind == "in":
        return _at(text, text.strip(), now)
    if kind == ResumeKind.AT:
        return _at(text, typed.strip(), now)
    ref = canonical_ref(typed)
    if ref is None or kind not in tuple(ResumeKind):
        raise _invalid(text, kind)
    return ResumeCondition(ResumeKind(kind), ref)


def canonical_ref(typed: str) -> str | None:
    """The one spelling of a reference, by which a fact is found; None if it cannot be one.

    White space and control characters inside it, and more than `LONGEST_REF` characters, are no reference.
    """
    ref = composed(typed.strip())
    usable = 0 < len(ref) <= LONGEST_REF and ref.isprintable() and not any(char.isspace() for char in ref)
    return ref if usable else None


def _at(text: str, spelling: str, now: Instant) -> ResumeCondition:
    try:
        instant = parse_instant(spelling, now=now)
        return ResumeCondition(ResumeKind.AT, format_instant(instant), instant)
    except (UsageError, OverflowError) as exc:
        raise ResumeConditionInvalidError(
            f"{text!r} does not name a time", hint=f"A condition is {_FORMS}.", value=text
        ) from exc


def _invalid(text: str, kind: str) -> ResumeConditionInvalidError:
    from loopx.core.name import near_match

    near = near_match(kind, [*(known.value for known in ResumeKind), "in"])
    meant = f"; did you mean {near!r}?" if near and near != kind else ""
    return ResumeConditionInvalidError(
        f"{text!r} is not a resume condition{meant}", hint=f"A condition is {_FORMS}.", value=text
    )
