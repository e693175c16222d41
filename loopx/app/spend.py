"""`quota spend-slot` and `quota status`: the ledger of what runs cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.mutation import Call, Document, Outcome, Work, mutate
from loopx.app.page import page_keys
from loopx.app.place import refuse_other_place
from loopx.core.command import command
from loopx.core.errors import (
    ActorRequiredError,
    NotClaimOwnerError,
    RunNotFoundError,
    RunNotValidatedError,
    SpendAlreadyRecordedError,
    UsageError,
)
from loopx.core.instant import DAY, format_instant
from loopx.core.run import Run, delivered_in
from loopx.core.value import Value
from loopx.store.spends import Usage, find_run, is_spent, usage_by, usage_of

if TYPE_CHECKING:
    from loopx.app.page import Page
    from loopx.app.project import Project, Snapshot
    from loopx.core.goal import Goal
    from loopx.core.workspace import Workspace

SPEND_SCHEMA = "spend_v1"
QUOTA_SCHEMA = "quota_status_v1"
_DAYS_SHOWN = 14  # today and the whole days before it, in UTC


class Spend(Value):
    """What a run cost, beside its one slot."""

    run_id: str
    tokens: int = 0
    cost: float = 0.0
    seconds: float = 0.0


def spend_slot(project: Project, call: Call, spend: Spend, workspace: Workspace) -> Document:
    """Book a validated work run, once, from the workspace that it was recorded in.

    RunNotFoundError, RunNotValidatedError, SpendAlreadyRecordedError, WorkspaceMismatchError.
    """
    _refuse_odd_amounts(spend)

    def change(work: Work) -> Outcome:
        run = _spendable(work, spend, workspace)
        record = {
            "run_id": run.run_id,
            "goal_id": run.goal_id,
            "agent_id": run.agent_id,
            "tokens": spend.tokens,
            "cost": spend.cost,
            "seconds": spend.seconds,
            "spent_at": work.now,
        }
        work.tx.put("spends", ("run_id",), record)
        usage = usage_of(work.tx.db, run.goal_id, work.goal.quota, work.now)
        shown = {**record, "slots": 1, "spent_at": format_instant(work.now)}
        body: Document = {
            "schema_version": SPEND_SCHEMA,
            "ok": True,
            "spend": shown,
            "quota": quota_document(work.goal, usage),
        }
        follow = command("quota", "should-run", "--goal-id", run.goal_id, "--agent-id", run.agent_id)
        return Outcome(body, run.todo_id, next_command=follow)

    return mutate(project, call, change)


def _refuse_odd_amounts(spend: Spend) -> None:
    for name, amount in (("tokens", spend.tokens), ("cost", spend.cost), ("seconds", spend.seconds)):
        if not 0 <= amount < 1e15:  # also false for NaN
            raise UsageError(f"{amount} {name} is out of range", hint=f"--{name} is 0 or more.")


def _spendable(work: Work, spend: Spend, workspace: Workspace) -> Run:
    run = find_run(work.tx.db, spend.run_id)
    if run is None:
        raise RunNotFoundError(
            f"there is no run {spend.run_id!r}",
            hint="`loopx refresh-state` records a run.",
            run_id=spend.run_id,
        )
    if work.enter_goal(work.call.goal_id or run.goal_id).goal_id != run.goal_id:
        raise UsageError(f"{run.run_id} belongs to the goal {run.goal_id}", hint="Name that goal.")
    if work.actor.agent_id is None:
        raise ActorRequiredError("a run is spent by its agent", hint="Say whose it is with --agent-id.")
    if work.actor.agent_id != run.agent_id:
        raise NotClaimOwnerError(
            f"{run.run_id} is a run of {run.agent_id}",
            hint="Only the agent of a run spends it.",
            holder=run.agent_id,
        )
    if is_spent(work.tx.db, run.run_id):
        raise SpendAlreadyRecordedError(
            f"{run.run_id} was spent already; a run is spent once",
            hint="Nothing is left to do.",
            run_id=run.run_id,
        )
    if not run.is_validated:
        raise RunNotValidatedError(
            f"{run.run_id} is a {run.kind} run without a validation; only validated work is spent",
            hint="Record a work run with --evidence and --validation.",
            run_id=run.run_id,
        )
    todo = work.tx.todo(run.todo_id)
    is_team = run.workspace.peer_independent_worktree_required
    refuse_other_place(run, delivered_in(workspace, todo, is_team=is_team))
    return run


def quota_status(project: Project, goal_id: str | None, page: Page) -> Document:
    """What each goal may spend, has spent in its window, and by agent and day."""

    def query(snapshot: Snapshot) -> Document:
        registry = snapshot.registry
        goal_ids = (registry.goal(goal_id).goal_id,) if goal_id else registry.goal_ids
        numbered = list(enumerate(goal_ids, start=1))[page.after :]
        return {
            "schema_version": QUOTA_SCHEMA,
            "ok": True,
            "quota": [_goal_quota(snapshot, registry.goal(name)) for _, name in numbered[: page.limit]],
            "total": len(goal_ids),
            **page_keys([number for number, _ in numbered], len(numbered), page.limit),
            "state": snapshot.state,
        }

    return project.read(query)


def _goal_quota(snapshot: Snapshot, goal: Goal) -> Document:
    usage = usage_of(snapshot.db, goal.goal_id, goal.quota, snapshot.now)
    window = goal.quota.window_us
    since = snapshot.now - window if window is not None else -1
    first_day = snapshot.now // DAY - (_DAYS_SHOWN - 1)
    by_agent = usage_by(snapshot.db, "agent", goal.goal_id, since)
    by_day = usage_by(snapshot.db, "day", goal.goal_id, first_day * DAY - 1)
    return {
        **quota_document(goal, usage),
        "by_agent": [{"agent_id": row[0], **_amounts(*row[1:])} for row in by_agent],
        "by_day": [{"day": format_instant(row[0] * DAY)[:10], **_amounts(*row[1:])} for row in by_day],
    }


def quota_document(goal: Goal, usage: Usage) -> Document:
    """The budget of a goal, what its window holds, and when that changes."""
    from loopx.core.instant import format_duration

    window = goal.quota.window_us
    return {
        "goal_id": goal.goal_id,
        "slots": goal.quota.slots,
        "tokens": goal.quota.tokens,
        "cost": goal.quota.cost,
        "window": format_duration(window) if window is not None else None,
        "used": _amounts(usage.slots, usage.tokens, usage.cost, usage.seconds),
        "resets_at": format_instant(usage.resets_at) if usage.resets_at is not None else None,
    }


def _amounts(slots: int, tokens: int, cost: float, seconds: float) -> Document:
    return {"slots": slots, "tokens": tokens, "cost": cost, "seconds": seconds}
