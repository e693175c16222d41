"""`todo complete`: evidence, then what follows or that nothing does (W10.1–W10.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.held import refuse_unready
from loopx.app.mutation import Call, Document, Outcome, Work
from loopx.app.successors import Following, add_successors, refuse_contradiction
from loopx.app.todo_new import todo_in_goal, unique
from loopx.app.todo_view import seen
from loopx.app.validation import NOT_RUN, Proof, demand_proof, mutate_with_proof
from loopx.contracts.todo_document import id_list
from loopx.core.authority import LifecycleAction
from loopx.core.command import command
from loopx.core.errors import (
    AlreadyDoneError,
    ClaimMismatchError,
    ClaimTokenRequiredError,
    EvidenceRequiredError,
    LeaseExpiredError,
    NotClaimOwnerError,
    TodoNotOpenError,
    UsageError,
)
from loopx.core.lifecycle import (
    authorise,
    live_owner,
    refuse_ineligible,
    refuse_unless_open,
    refuse_without_token,
)
from loopx.core.text import checked_text
from loopx.core.todo import Claim, Closure, Role, Status, TaskClass
from loopx.core.value import Value

if TYPE_CHECKING:
    from loopx.app.project import Project
    from loopx.core.authority import AuthorityUse
    from loopx.core.todo import Todo

COMPLETE_SCHEMA = "todo_complete_v1"
LATE = (  # how a holder is refused that has lost the work, or whose work was settled by somebody else
    AlreadyDoneError,
    ClaimMismatchError,
    ClaimTokenRequiredError,
    LeaseExpiredError,
    NotClaimOwnerError,
    TodoNotOpenError,
)
NO_RATIONALE = "closed without follow-up and without a --reason that says why"


class Completion(Value):
    """What `todo complete` takes; `folder` is where the todo's own check runs (None where it was deleted)."""

    evidence: str | None = None
    failed: bool = False
    meets: tuple[str, ...] = ()
    following: Following = Following()
    folder: str | None = None


def complete_todo(project: Project, call: Call, todo_id: str, completion: Completion) -> Document:
    """Close a todo with its evidence (W10.1, S2.6).

    Checked in this order: exists, open, token, owner or grant, exclusion, gates, dependencies, and at last
    its validation command, unless it failed anyway. AlreadyDoneError, LeaseExpiredError,
    ClaimMismatchError, NotClaimOwnerError, GateOpenError, TodoBlockedError, EvidenceRequiredError,
    ValidationFailedError. What a former holder submits too late is kept as an attempt note (S4.11).
    """

    def change(work: Work, proof: Proof | None) -> Outcome:
        todo = work.tx.todo(todo_in_goal(work, todo_id))
        if todo.task_class is TaskClass.USER_GATE:
            return _approved(work, todo, completion)
        outcome = close_unproven(work, todo, completion)
        notes = () if completion.failed else demand_proof(work, todo, proof)
        return outcome._replace(notes=notes)

    try:
        return mutate_with_proof(project, call, completion.folder, change)
    except LATE as refused:
        from loopx.app.attempt import note_attempt

        note_attempt(project, call, todo_id, completion.evidence, refused)
        raise


def close_unproven(work: Work, todo: Todo, completion: Completion) -> Outcome:
    """Close a todo inside an open mutation, with every check but its validation command, which the caller owes."""
    use = refuse_unclosable(work, todo)
    refuse_contradiction(completion.following)
    return _completed(work, todo, completion, use)


def refuse_unclosable(work: Work, todo: Todo) -> AuthorityUse | None:
    """The refusals of `close_unproven` that concern the todo itself; the grant's use where one was needed."""
    refuse_unless_open(todo)
    use = _authorised(work, todo)
    refuse_unready(work, todo)
    return use


def _approved(work: Work, gate: Todo, completion: Completion) -> Outcome:
    """Completing a gate approves it, in the shape of a completion; whatever else a completion can say is refused."""
    from loopx.app.gate_answer import Answer, approve_by_completion

    answered = approve_by_completion(work, gate, Answer(note=work.call.reason or completion.evidence))
    if completion.failed or completion.following.is_named or completion.meets:
        raise UsageError(
            f"{gate.todo_id} is a gate: completing it approves, and tells no failure, follow-up or criterion",
            hint=f"`loopx gate answer {gate.todo_id}` approves or rejects.",
        )
    body: Document = {
        "schema_version": COMPLETE_SCHEMA,
        "ok": True,
        "todo": answered.body["todo"],
        "closure": Closure.COMPLETED.value,
        **id_list("successors", ()),
        **id_list("unblocked", work.tx.unblocked),
    }
    return answered._replace(body=body)


def _authorised(work: Work, todo: Todo) -> AuthorityUse | None:
    hand = work.hand(todo)
    refuse_without_token(todo, hand, work.now)
    use = authorise(todo, hand, LifecycleAction.COMPLETE, work.now)
    if work.actor.agent_id is not None:
        refuse_ineligible(todo, work.actor.agent_id)
    return use


def _completed(work: Work, todo: Todo, completion: Completion, use: AuthorityUse | None) -> Outcome:
    evidence = _evidence(todo, completion.evidence)
    successors = add_successors(work, todo, completion.following)
    no_followup = _needs_nothing(todo, completion)
    done = work.tx.save(
        todo,
        todo._replace(
            status=Status.DONE,
            closure=_closure(completion, no_followup=no_followup),
            closed_at=work.now,
            evidence=evidence,
            completion_rationale=work.call.reason or (use.reason if use else None),
            no_followup=no_followup,
            successors=unique((*todo.successors, *successors)),
            claim=_doer(work, todo),
            lease=None,
        ),
    )
    meet_criteria(work, completion.meets, evidence or "", todo.todo_id)
    body: Document = {
        "schema_version": COMPLETE_SCHEMA,
        "ok": True,
        "todo": seen(work, done),
        "closure": done.closure.value if done.closure else None,
        **id_list("successors", successors),
        **id_list("unblocked", work.tx.unblocked),
    }
    return Outcome(
        body,
        todo.todo_id,
        authority=use,
        next_command=_next_command(work),
        warnings=_warnings(work, todo, completion),
    )


def _warnings(work: Work, todo: Todo, completion: Completion) -> tuple[str, ...]:
    lonely = completion.following.no_followup and not work.call.reason
    unproven = work.call.dry_run and todo.validation is not None and not completion.failed
    return tuple(text for text, said in ((NO_RATIONALE, lonely), (NOT_RUN, unproven)) if said)


def _evidence(todo: Todo, evidence: str | None) -> str | None:
    """Agent work is done only with evidence; a person's action may go without."""
    if evidence is not None:
        return checked_text(evidence, field="evidence")
    if todo.role is Role.AGENT:
        raise EvidenceRequiredError(
            f"{todo.todo_id} is completed with evidence of its result",
            hint="Say with --evidence what was checked and where it can be seen.",
            todo_id=todo.todo_id,
        )
    return None


def _needs_nothing(todo: Todo, completion: Completion) -> bool:
    """Whether nothing follows: said now, or when the todo was made, for a success that names no successor (S3.3)."""
    said_before = todo.no_followup and not completion.failed and not completion.following.is_named
    return completion.following.no_followup or said_before


def _closure(completion: Completion, *, no_followup: bool) -> Closure:
    if completion.failed:
        return Closure.FAILED
    return Closure.NO_FOLLOWUP if no_followup else Closure.COMPLETED


def _doer(work: Work, todo: Todo) -> Claim | None:
    """The record of who did it: the claim that counts, otherwise the agent that completes (W3.2)."""
    agent_id = work.actor.agent_id
    if agent_id is None or live_owner(todo, work.now, work.active_agents) not in (None, agent_id):
        return todo.claim
    if todo.claim is not None and todo.claim.agent_id == agent_id:
        return todo.claim
    return Claim(agent_id, work.now, work.now)


def meet_criteria(work: Work, criteria: tuple[str, ...], evidence: str, todo_id: str | None) -> None:
    """Record acceptance criteria of the goal as met; UsageError for one that the goal does not have."""
    from loopx.app.project import near

    known = tuple(criterion.id for criterion in work.goal.acceptance)
    for criterion_id in criteria:
        if criterion_id not in known:
            raise UsageError(
                f"{work.goal.goal_id} has no criterion {criterion_id!r}{near(criterion_id, known)}",
                hint=f"`loopx goal show --goal-id {work.goal.goal_id}` lists the criteria.",
            )
        record = {
            "goal_id": work.goal.goal_id,
            "criterion_id": criterion_id,
            "evidence": evidence,
            "todo_id": todo_id,
            "met_by": work.actor.agent_id or work.actor.kind.value,
            "met_at": work.now,
        }
        work.tx.put("criteria_met", ("goal_id", "criterion_id"), record)


def _next_command(work: Work) -> str:
    agent_id = work.actor.agent_id
    if agent_id is None:
        return command("status", "--goal-id", work.goal.goal_id)
    return command("quota", "should-run", "--goal-id", work.goal.goal_id, "--agent-id", agent_id)
