"""Stages 10, 12 and 13: has this caller the capabilities, the place and the budget?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.capability import CapabilityKind, capability_kind, missing_capabilities
from loopx.core.decision.case import Case, Drop
from loopx.core.decision.reason import ReasonCode, Stage
from loopx.core.instant import format_instant
from loopx.core.todo import TaskClass, Todo

if TYPE_CHECKING:
    from loopx.core.decision.snapshot import Cohort
    from loopx.core.workspace import WorkspaceKind


def capability(case: Case, cohort: Cohort) -> Drop | None:
    """Everything that it requires is there (W8); a missing tool is said before a missing authority."""
    missing = missing_capabilities(cohort.head.route.required_capabilities, case.capabilities)
    if not missing:
        return None
    words = case.snapshot.goal.authority_capabilities
    by_kind: dict[str, list[str]] = {kind.value: [] for kind in CapabilityKind}
    for name in missing:
        by_kind[capability_kind(name, words)].append(name)
    code = ReasonCode.CAPABILITY_MISSING if by_kind[CapabilityKind.TOOL] else ReasonCode.AUTHORITY_MISSING
    return Drop(Stage.CAPABILITY, code, {kind: tuple(names) for kind, names in by_kind.items()})


def missing_of(drop: Drop, kind: CapabilityKind) -> tuple[str, ...]:
    """The missing capabilities of one kind; the two are never merged (W8.3)."""
    names = drop.facts[kind.value]
    assert isinstance(names, tuple)
    return names


def workspace(case: Case, cohort: Cohort) -> Drop | None:
    """In a team, what writes a repository is delivered from an independent worktree of it (W9.2)."""
    todo = cohort.head
    place = case.caller.workspace
    if place is None or not needs_own_worktree(case, todo):
        return None
    from loopx.core.workspace import WorkspaceKind, classify_workspace  # only where a place was looked at

    kind: WorkspaceKind = classify_workspace(place, todo.route.task_repository)
    if kind is WorkspaceKind.INDEPENDENT_GIT_WORKTREE:
        return None
    facts = {"current_workspace": kind.value, "task_repository": todo.route.task_repository}
    return Drop(Stage.WORKSPACE, ReasonCode.WORKSPACE_NOT_INDEPENDENT, facts)


def needs_own_worktree(case: Case, todo: Todo) -> bool:
    """Whether peers could meet in one checkout: advancement that writes, with more than one agent."""
    writes = todo.task_class is TaskClass.ADVANCEMENT and bool(todo.route.required_write_scopes)
    return writes and case.is_team


def budget(case: Case, cohort: Cohort) -> Drop | None:
    """Slots, tokens and cost are left in the window; a poll costs nothing."""
    if cohort.head.task_class is not TaskClass.ADVANCEMENT:
        return None
    snapshot, quota = case.snapshot, case.snapshot.goal.quota
    if quota.slots is not None and snapshot.used_slots >= quota.slots:
        return _used(case, ReasonCode.SLOTS_USED, snapshot.used_slots, quota.slots)
    if quota.tokens is not None and snapshot.used_tokens >= quota.tokens:
        return _used(case, ReasonCode.TOKENS_USED, snapshot.used_tokens, quota.tokens)
    if quota.cost is not None and snapshot.used_cost >= quota.cost:
        return _used(case, ReasonCode.COST_USED, snapshot.used_cost, quota.cost)
    return None


def _used(case: Case, code: ReasonCode, used: float, limit: float) -> Drop:
    resets_at = case.snapshot.resets_at
    facts: dict[str, object] = {"used": used, "limit": limit}
    if resets_at is not None:
        facts["resets_at"] = format_instant(resets_at)
    return Drop(Stage.BUDGET, code, facts)
