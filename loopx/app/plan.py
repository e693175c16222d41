"""Plans: submitted by an agent, answered by its reviewer, and the gate of all that the agent starts (S4.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.message import Letter, checked_body, mailbox_of, post_letter
from loopx.app.mutation import Call, Document, Outcome, Work, mutate
from loopx.contracts.message_document import LISTED_BYTES, plan_document
from loopx.core.actor import ActorKind
from loopx.core.command import command
from loopx.core.errors import (
    ActorRequiredError,
    AlreadyDoneError,
    PlanNotFoundError,
    RoleNotAllowedError,
    UsageError,
    UserDecisionRequiredError,
    VersionConflictError,
)
from loopx.core.message import PERSON, MessageKind
from loopx.core.plan import Plan, PlanStatus
from loopx.core.text import cut
from loopx.core.value import Value
from loopx.store.events import last_sequence
from loopx.store.plans import find_plan, newest_plan, store_plan
from loopx.store.workers import find_worker

if TYPE_CHECKING:
    from loopx.app.project import Project, Snapshot

PLAN_SCHEMA = "plan_v1"


class PlanRequest(Value):
    """What `plan submit` takes; without a reviewer it is the lead of the agent's worker, or the person."""

    text: str
    reviewer: str | None = None


def submit_plan(project: Project, call: Call, request: PlanRequest) -> Document:
    """Ask for a plan's approval; until it is approved the agent starts nothing.

    A plan that waited for an answer is replaced. ActorRequiredError, RecipientNotFoundError, UsageError
    where the reviewer is the agent itself.
    """

    def change(work: Work) -> Outcome:
        agent_id = work.actor.agent_id
        if agent_id is None:
            raise ActorRequiredError("a plan is an agent's", hint="Say whose with --agent-id.")
        plan = _new_plan(work, agent_id, request)
        _replace_pending(work, agent_id)
        store_plan(work.tx, plan)
        words = cut(plan.body, LISTED_BYTES)[0]
        post_letter(work, Letter(plan.reviewer, MessageKind.PLAN_SUBMITTED, words, request_id=plan.plan_id))
        return _answered(plan, next_command=command("plan", "show", plan.plan_id))

    return mutate(project, call, change)


def approve_plan(project: Project, call: Call, plan_id: str, note: str | None = None) -> Document:
    """Let the agent start work again. It is told in a typed message, which its worker handles before any task.

    PlanNotFoundError, AlreadyDoneError, VersionConflictError for a plan that was replaced; who is not its
    reviewer: UserDecisionRequiredError, RoleNotAllowedError.
    """
    return _answer_plan(project, call, plan_id, PlanStatus.APPROVED, note)


def reject_plan(project: Project, call: Call, plan_id: str, note: str | None = None) -> Document:
    """Keep the agent from starting work until another plan of its is approved. Refusals as for `approve_plan`."""
    return _answer_plan(project, call, plan_id, PlanStatus.REJECTED, note)


def show_plan(
    project: Project, goal_id: str | None, *, plan_id: str | None = None, agent_id: str | None = None
) -> Document:
    """A plan by its id, or the newest one of an agent. PlanNotFoundError, UsageError."""
    if (plan_id is None) == (agent_id is None):
        raise UsageError("one plan is shown", hint="Name it by its id, or an agent with --agent-id.")

    def query(snapshot: Snapshot) -> Document:
        if plan_id is not None:
            plan = find_plan(snapshot.db, plan_id)
        else:
            plan = newest_plan(snapshot.db, snapshot.registry.goal(goal_id).goal_id, agent_id or "")
        if plan is None:
            raise _unknown(plan_id or f"of {agent_id}")
        return {"schema_version": PLAN_SCHEMA, "ok": True, "plan": plan_document(plan), "state": snapshot.state}

    return project.read(query)


def _new_plan(work: Work, agent_id: str, request: PlanRequest) -> Plan:
    reviewer = mailbox_of(work.goal, request.reviewer or _lead_of(work, agent_id))
    if reviewer == agent_id:
        raise UsageError(
            f"{agent_id} cannot review its own plan", hint=f"Name another agent, or `{PERSON}`.", reviewer=reviewer
        )
    return Plan(
        plan_id=work.tx.ids.new("plan"),
        sequence=last_sequence(work.tx.db) + 1,
        goal_id=work.goal.goal_id,
        agent_id=agent_id,
        reviewer=reviewer,
        body=checked_body(request.text),
        status=PlanStatus.PENDING,
        submitted_at=work.now,
    )


def _lead_of(work: Work, agent_id: str) -> str:
    worker = find_worker(work.tx.db, work.goal.goal_id, agent_id)
    return (worker.lead if worker is not None else None) or PERSON


def _replace_pending(work: Work, agent_id: str) -> None:
    before = newest_plan(work.tx.db, work.goal.goal_id, agent_id)
    if before is not None and before.status is PlanStatus.PENDING:
        store_plan(work.tx, before._replace(status=PlanStatus.REPLACED))


def _answer_plan(project: Project, call: Call, plan_id: str, verdict: PlanStatus, note: str | None) -> Document:
    kind = MessageKind.PLAN_APPROVED if verdict is PlanStatus.APPROVED else MessageKind.PLAN_REJECTED

    def change(work: Work) -> Outcome:
        plan = _answerable(work, plan_id)
        answered = plan._replace(
            status=verdict,
            answered_at=work.now,
            answered_by=work.actor.agent_id or PERSON,
            note=note and checked_body(note),
        )
        store_plan(work.tx, answered)
        post_letter(work, Letter(plan.agent_id, kind, note or "", request_id=plan.plan_id))
        return _answered(answered, next_command=command("plan", "show", plan.plan_id))

    return mutate(project, call, change)


def _answerable(work: Work, plan_id: str) -> Plan:
    plan = find_plan(work.tx.db, plan_id)
    if plan is None:
        raise _unknown(plan_id)
    work.enter_goal(plan.goal_id)
    _refuse_stranger(work, plan)
    if plan.status is PlanStatus.REPLACED:
        raise VersionConflictError(
            f"{plan_id} was replaced by a newer plan of {plan.agent_id}",
            hint=f"`{command('plan', 'show', '--agent-id', plan.agent_id)}` has the newest one.",
            plan_id=plan_id,
        )
    if plan.status is not PlanStatus.PENDING:
        raise AlreadyDoneError(
            f"{plan_id} was {plan.status} by {plan.answered_by}",
            hint="An answer stands; the agent may submit another plan.",
            plan_id=plan_id,
            status=plan.status.value,
        )
    return plan


def _refuse_stranger(work: Work, plan: Plan) -> None:
    """A plan is answered by the reviewer that it names, or by a person; never by its author."""
    if work.actor.kind is ActorKind.USER or work.actor.agent_id == plan.reviewer:
        return
    if plan.reviewer == PERSON:
        raise UserDecisionRequiredError(
            f"{plan.plan_id} is for a person to answer",
            hint="Ask the user to approve or reject it.",
            plan_id=plan.plan_id,
        )
    raise RoleNotAllowedError(
        f"{plan.plan_id} is for {plan.reviewer} to answer, not for {work.actor.agent_id}",
        hint=f"Ask {plan.reviewer}, or a person.",
        plan_id=plan.plan_id,
        reviewer=plan.reviewer,
    )


def _answered(plan: Plan, *, next_command: str) -> Outcome:
    body: Document = {"schema_version": PLAN_SCHEMA, "ok": True, "plan": plan_document(plan)}
    return Outcome(body, next_command=next_command)


def _unknown(which: str) -> PlanNotFoundError:
    return PlanNotFoundError(f"there is no plan {which}", hint="`loopx plan show --agent-id` has an agent's newest.")
