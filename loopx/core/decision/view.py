"""What the packet says beside the mode: held work, the capability gate, counts, when to ask again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.capability import CapabilityKind
from loopx.core.decision.decision import (
    BlockedCandidate,
    Bypassed,
    Cadence,
    CapabilityGate,
    DeliveryWorkspace,
    Frontier,
    GateAction,
    HeldRow,
    SchedulerHint,
    WorkspaceGuard,
)
from loopx.core.decision.means import missing_of, needs_own_worktree
from loopx.core.decision.next_command import next_command
from loopx.core.decision.reason import ENDS, RUNS, Mode, ReasonCode, Stage
from loopx.core.decision.snapshot import MEMBER_LIMIT
from loopx.core.decision.survey import order_of
from loopx.core.instant import SECOND
from loopx.core.todo import TaskClass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from loopx.core.decision.case import Case
    from loopx.core.decision.examine import Examination
    from loopx.core.decision.meaning import Verdict
    from loopx.core.decision.survey import Finding, Survey
    from loopx.core.instant import Instant
    from loopx.core.todo import Todo

_POLL_SECONDS = 300  # where only somebody's act changes anything: not a busy loop, not a long silence

_ACTIONS = {
    Mode.BOUNDED_DELIVERY: GateAction.RUN,
    Mode.MONITOR_POLL: GateAction.RUN,
    Mode.CAPABILITY_REPAIR: GateAction.REPAIR_BRIDGE,
    Mode.OWNER_AUTHORIZATION: GateAction.REQUEST_OWNER,
}
_GATED = (ReasonCode.GATE_OPEN, ReasonCode.PEER_GATE_OPEN)


def blocking(examination: Examination) -> tuple[tuple[HeldRow, ...], int]:
    """The best todos that something holds, and how many there are; what merely sleeps is silent (W7.4)."""
    held = [found for found in examination.survey.findings if found.drops and not _is_silent(found)]
    rows = tuple(
        HeldRow(
            single.head.todo_id,
            single.drops[0].reason_code,
            next_command(examination.case, single, single.drops[0]),
        )
        for found, member in _best_members(held)
        for single in (examination.finding_of(found, member),)
    )
    return rows, _total(held)


def _is_silent(found: Finding) -> bool:
    return found.drop_of(ReasonCode.MONITOR_NOT_DUE, ReasonCode.DEFERRED) is not None


def _best_members(findings: Iterable[Finding]) -> list[tuple[Finding, Todo]]:
    pairs = [(found, member) for found in findings for member in found.cohort.members]
    return sorted(pairs, key=lambda pair: order_of(pair[1], is_mine=pair[0].is_mine))[:MEMBER_LIMIT]


def _total(findings: Iterable[Finding]) -> int:
    return sum(found.cohort.count for found in findings)


def bypass(survey: Survey, verdict: Verdict) -> tuple[tuple[Bypassed, ...], int]:
    """Work that gates hold, where some of it outranks in priority what is delivered meanwhile (W7.2)."""
    subject = verdict.subject
    if verdict.mode is not Mode.BOUNDED_DELIVERY or subject is None:
        return (), 0
    gated = [found for found in survey.findings if found.drop_of(*_GATED) is not None]
    if not any(found.head.priority < subject.head.priority for found in gated):
        return (), 0
    return tuple(Bypassed(todo.todo_id, _scope(found)) for found, todo in _best_members(gated)), _total(gated)


def _scope(found: Finding) -> str | None:
    drop = found.drop_of(*_GATED)
    scope = drop.facts.get("decision_scope") if drop is not None else None
    return None if scope is None else str(scope)


def capability_gate(survey: Survey, verdict: Verdict) -> CapabilityGate | None:
    """W8, as far as the mode acts on it: a set to choose from, or what is asked for in its place."""
    gate_action = _ACTIONS.get(verdict.mode)
    if gate_action is None:
        return None
    runnable = _of_mode(survey, verdict.mode)
    blocked = [found for found in survey.findings if found.drops and found.drops[0].stage is Stage.CAPABILITY]
    return CapabilityGate(
        action=gate_action,
        runnable=tuple(todo.todo_id for _, todo in _best_members(runnable)),
        runnable_count=_total(runnable),
        blocked=tuple(_blocked_rows(blocked)),
        blocked_total=_total(blocked),
    )


def _of_mode(survey: Survey, mode: Mode) -> tuple[Finding, ...]:
    """What the mode allows: never delivery beside a poll, or the reverse."""
    if mode is Mode.BOUNDED_DELIVERY:
        return survey.works
    return survey.polls if mode is Mode.MONITOR_POLL else ()


def _blocked_rows(blocked: list[Finding]) -> Iterator[BlockedCandidate]:
    for found, todo in _best_members(blocked):
        for kind in CapabilityKind:
            names = missing_of(found.drops[0], kind)
            if names:
                yield BlockedCandidate(todo.todo_id, names, kind)


def delivery_workspace(case: Case, verdict: Verdict) -> DeliveryWorkspace | None:
    """Where the selected todo is delivered, where it names a repository (W9.3)."""
    subject = verdict.subject
    if verdict.mode is not Mode.BOUNDED_DELIVERY or subject is None:
        return None
    repository = subject.head.route.task_repository
    if repository is None:
        return None
    kind = None
    if case.caller.workspace is not None:
        from loopx.core.workspace import classify_workspace  # only where a place was looked at

        kind = classify_workspace(case.caller.workspace, repository)
    return DeliveryWorkspace(repository, kind, needs_own_worktree(case, subject.head))


def workspace_guard(verdict: Verdict) -> WorkspaceGuard | None:
    """Where to move, in the mode that asks for it."""
    if verdict.mode is not Mode.WORKSPACE_REPAIR or verdict.subject is None:
        return None
    drop = verdict.subject.drop_of(ReasonCode.WORKSPACE_NOT_INDEPENDENT)
    if drop is None:
        return None
    return WorkspaceGuard(drop.named("current_workspace"), verdict.subject.head.route.task_repository)


def frontier(survey: Survey) -> Frontier:
    """Counts that agree with the stages: held work is blocked, a held monitor waits."""
    monitors = asleep = held = 0
    for found in survey.findings:
        if found.is_asleep:
            asleep += found.cohort.count
        elif found.head.task_class is TaskClass.MONITOR:
            monitors += found.cohort.count
        elif found.drops:
            held += found.cohort.count
    due = _total(survey.polls)
    return Frontier(
        runnable=_total(survey.works),
        blocked=held,
        monitors_due=due,
        monitors_waiting=monitors - due,
        deferred=asleep,
        user_open=survey.case.snapshot.user_open,
    )


def scheduler_hint(survey: Survey, mode: Mode) -> SchedulerHint:
    """When the same question may have another answer without anybody's act."""
    if mode in RUNS:
        return SchedulerHint(None, 0, Cadence.RUN_NOW)
    if mode in ENDS:
        return SchedulerHint(None, None, Cadence.STOP)
    now = survey.case.now
    resets_at = survey.case.snapshot.resets_at if mode is Mode.QUOTA_WAIT else None
    wake_at = min((at for at in (*_instants(survey), resets_at) if at is not None and at > now), default=None)
    if wake_at is None:
        return SchedulerHint(None, _POLL_SECONDS, Cadence.ON_EVENT, resets_at)
    return SchedulerHint(wake_at, -((now - wake_at) // SECOND), Cadence.WAIT_UNTIL, resets_at)


def _instants(survey: Survey) -> Iterator[Instant | None]:
    yield survey.case.snapshot.next_due_at
    yield survey.case.snapshot.next_wake_at
    for found in survey.rooted:
        if found.drop_of(ReasonCode.CLAIMED_BY_PEER, ReasonCode.LEASED_BY_PEER) is not None:
            yield found.cohort.free_at
