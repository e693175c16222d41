"""Stages 6 and 7: class, lifecycle and dependencies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.decision.case import Case, Drop
from loopx.core.decision.reason import ReasonCode, Stage
from loopx.core.instant import format_instant
from loopx.core.todo import NO_CHANGE_LIMIT, Role, Status, TaskClass, Todo

if TYPE_CHECKING:
    from loopx.core.decision.snapshot import Cohort


def lifecycle(case: Case, cohort: Cohort) -> Drop | None:
    """Advancement that is open or awake, and monitors that are due, go on (W1.3, W7.5, W10.5)."""
    todo = cohort.head
    if todo.is_closed:
        return _drop(ReasonCode.TODO_CLOSED, closure=todo.closure)
    if todo.role is Role.USER:
        return _drop(ReasonCode.FOR_A_PERSON, task_class=todo.task_class)
    if todo.status is Status.DEFERRED and not cohort.awake:
        return _asleep(cohort)
    if todo.task_class is TaskClass.BLOCKER:
        return _blocker(cohort)
    if todo.status is Status.BLOCKED:
        stated = ReasonCode.BLOCKED if _has_cause(todo) else ReasonCode.BLOCKED_WITHOUT_CAUSE
        return _drop(stated, reason=todo.block_reason)
    if todo.task_class is TaskClass.MONITOR:
        return _monitor(case, cohort)
    return None


def _asleep(cohort: Cohort) -> Drop:
    resume = cohort.head.resume
    if resume is None:
        return _drop(ReasonCode.DEFERRED_WITHOUT_CONDITION)
    code = ReasonCode.RESUME_UNSATISFIABLE if cohort.hopeless else ReasonCode.DEFERRED
    return _drop(code, resume_when=resume.text)


def _blocker(cohort: Cohort) -> Drop:
    if cohort.awake:
        return _drop(ReasonCode.BLOCKER_RECOVERED)
    has_cause = _has_cause(cohort.head)
    code = ReasonCode.BLOCKER_OPEN if has_cause else ReasonCode.BLOCKER_WITHOUT_CAUSE
    return _drop(code, reason=cohort.head.block_reason)


def _has_cause(todo: Todo) -> bool:
    """Whether something open or stated holds it; broken links have a row of their own."""
    return bool(todo.block_reason or todo.resume or todo.unmet)


def _monitor(case: Case, cohort: Cohort) -> Drop | None:
    polling = cohort.head.polling
    if polling is None:
        return _drop(ReasonCode.MONITOR_NOT_DUE)
    if polling.expires_at is not None and polling.expires_at <= case.now:
        return _drop(ReasonCode.MONITOR_EXPIRED, expires_at=format_instant(polling.expires_at))
    if cohort.due:
        return None
    due_at = format_instant(polling.next_due_at)
    if polling.consecutive_no_change >= NO_CHANGE_LIMIT:
        polls = polling.consecutive_no_change
        return _drop(ReasonCode.MONITOR_NO_CHANGE_LIMIT, consecutive_no_change=polls, next_due_at=due_at)
    return _drop(ReasonCode.MONITOR_NOT_DUE, next_due_at=due_at)


def _drop(code: ReasonCode, **facts: object) -> Drop:
    return Drop(Stage.LIFECYCLE, code, {name: fact for name, fact in facts.items() if fact is not None})


def dependencies(case: Case, cohort: Cohort) -> Drop | None:
    """Every dependency is done; one that can never be is a repair (S1.4, W10.1)."""
    todo = cohort.head
    if not todo.unmet:
        return None
    if not todo.broken:
        return Drop(Stage.DEPENDENCIES, ReasonCode.DEPENDENCY_OPEN, {"unmet": todo.unmet})
    for row in case.snapshot.broken:
        if row.todo_id == todo.todo_id:
            return Drop(Stage.DEPENDENCIES, ReasonCode(row.reason_code), {"dependency": row.dependency_id})
    return Drop(Stage.DEPENDENCIES, ReasonCode.DEPENDENCY_FAILED, {"broken": todo.broken})
