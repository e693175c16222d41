"""Saying why: every drop of every cohort, and every stage of one todo."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.decision.examine import Examination
from loopx.core.decision.next_command import next_command
from loopx.core.decision.reason import ReasonCode, Stage
from loopx.core.decision.stages import ORDER
from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from loopx.core.decision.snapshot import Caller, Cohort, Snapshot
    from loopx.core.instant import Instant


class DropRow(Value):
    """One obstacle of one todo, with what to run about it."""

    todo_id: str
    stage: Stage
    reason_code: ReasonCode
    facts: Mapping[str, object]
    next_command: str


class StageResult(Value):
    """One stage's answer about one todo; code, facts and command only where it fails."""

    stage: Stage
    passed: bool
    reason_code: ReasonCode | None = None
    facts: Mapping[str, object] | None = None
    next_command: str | None = None


def explain(snapshot: Snapshot, caller: Caller, now: Instant) -> tuple[DropRow, ...]:
    """Every obstacle of every loaded todo, best todo first, in the order of the stages."""
    examination = Examination(snapshot, caller, now)
    return tuple(
        DropRow(
            member.todo_id,
            drop.stage,
            drop.reason_code,
            drop.facts,
            next_command(examination.case, found, drop),
        )
        for cohort_found in examination.survey.findings
        for member in cohort_found.cohort.members
        for found in (examination.finding_of(cohort_found, member),)
        for drop in found.drops
    )


def why(snapshot: Snapshot, caller: Caller, now: Instant, todo: Cohort) -> list[StageResult]:
    """Every stage for one todo (a cohort of one), passed or failed.

    AgentNotRegisteredError and GraphInvalidError are the first two stages' way to fail.
    """
    examination = Examination(snapshot, caller, now)
    found = examination.finding(todo)
    failed = {drop.stage: drop for drop in found.drops}
    results: list[StageResult] = []
    for stage in ORDER:
        drop = failed.get(stage)
        if drop is None:
            results.append(StageResult(stage, passed=True))
        else:
            command = next_command(examination.case, found, drop)
            results.append(StageResult(stage, False, drop.reason_code, drop.facts, command))  # noqa: FBT003
    return results


def is_runnable(results: list[StageResult]) -> bool:
    """Whether the todo passed every stage."""
    return all(result.passed for result in results)
