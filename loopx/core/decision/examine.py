"""Running the stages over a snapshot: what bars everything, and what is in each cohort's way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.decision.case import Case, Drop, case_of, is_mine
from loopx.core.decision.meaning import Verdict
from loopx.core.decision.reason import CONSEQUENCES, Consequence, Mode, ReasonCode, Stage
from loopx.core.decision.snapshot import Caller, Cohort, Snapshot
from loopx.core.decision.stages import ADMISSION, MEANING, NARROWING
from loopx.core.decision.survey import Finding, Survey, survey_of
from loopx.core.todo import TaskClass, Todo

if TYPE_CHECKING:
    from collections.abc import Collection

    from loopx.core.instant import Instant

_ENDS = {ReasonCode.GOAL_PAUSED: Mode.PAUSED, ReasonCode.GOAL_CLOSED: Mode.TERMINAL_NO_FOLLOWUP}


class Examination:
    """The stages' answers about one snapshot for one caller."""

    __slots__ = ("barred", "case", "survey", "without")

    def __init__(self, snapshot: Snapshot, caller: Caller, now: Instant, without: Collection[Stage] = ()) -> None:
        """AgentNotRegisteredError, GraphInvalidError. `without` leaves stages of B out."""
        self.case: Case = case_of(snapshot, caller, now)
        self.without = without
        self.barred: Drop | None = self._first_bar()
        self.survey: Survey = survey_of(self.case, [self.finding(cohort) for cohort in snapshot.cohorts])

    def _first_bar(self) -> Drop | None:
        for _, stage in ADMISSION:
            drop = stage(self.case)
            if drop is not None:
                return drop
        return None

    def finding(self, cohort: Cohort) -> Finding:
        """Everything that is in the cohort's way."""
        drops = [self.barred] if self.barred is not None and not self._is_exempt(cohort) else []
        for stage, narrow in NARROWING:
            if stage not in self.without:
                drop = narrow(self.case, cohort)
                if drop is not None:
                    drops.append(drop)
        return Finding(cohort, tuple(drops), is_mine(self.case, cohort))

    def _is_exempt(self, cohort: Cohort) -> bool:
        """A gate on the whole lane still leaves a due monitor its read-only poll."""
        is_lane = self.barred is not None and self.barred.stage is Stage.LANE_GATE
        return is_lane and cohort.head.task_class is TaskClass.MONITOR

    def finding_of(self, found: Finding, member: Todo) -> Finding:
        """The finding of one member; what a dependency or a link says may differ from the head's."""
        if member is found.head:
            return found
        return self.finding(found.cohort._replace(members=(member,), count=1))

    def verdict(self) -> Verdict:
        """The first row of C that applies, unless something bars all of B."""
        if self.barred is None:
            return self._meaning()
        if self.barred.stage is Stage.LANE_GATE and self.survey.polls:
            return Verdict(Mode.MONITOR_POLL, self.survey.polls[0])
        return Verdict(_barred_mode(self.barred.reason_code), drop=self.barred)

    def _meaning(self) -> Verdict:
        verdicts = (row(self.survey) for row in MEANING)
        return next(verdict for verdict in verdicts if verdict is not None)


def _barred_mode(code: ReasonCode) -> Mode:
    if CONSEQUENCES[code] is Consequence.REPAIR:
        return Mode.CONTROL_PLANE_SELF_REPAIR
    return _ENDS.get(code, Mode.USER_GATE)


def runnable_cohorts(
    snapshot: Snapshot, caller: Caller, now: Instant, *, without: Collection[Stage] = ()
) -> tuple[Finding, ...]:
    """The advancement that nothing holds, best first; nothing where the goal or the lane is barred.

    `without` names stages that the asking verb does not need. AgentNotRegisteredError,
    GraphInvalidError.
    """
    return Examination(snapshot, caller, now, without).survey.works
