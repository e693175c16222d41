"""Soft ownership: claim, release and reassign (W3). None of them starts anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.held import unready
from loopx.app.mutation import Call, Document, Outcome, Work, mutate
from loopx.app.todo_new import agent, todo_in_goal
from loopx.app.todo_view import todo_answer
from loopx.app.wake import reopened_if_awake
from loopx.core.authority import LifecycleAction
from loopx.core.command import command
from loopx.core.errors import ActorRequiredError, ClaimMismatchError, UsageError
from loopx.core.lifecycle import (
    authorise,
    refuse_agents_on_gates,
    refuse_ineligible,
    refuse_unclaimable,
    refuse_unless_open,
    refuse_without_token,
)
from loopx.core.todo import STALE_AFTER, Claim, Role, Status, TaskClass

if TYPE_CHECKING:
    from loopx.app.project import Project
    from loopx.core.instant import Duration
    from loopx.core.todo import Todo


def claim_todo(project: Project, call: Call, todo_id: str, ttl: Duration | None) -> Document:
    """Put the actor's soft claim on a todo, or renew it (W3.1, W3.3).

    AlreadyClaimedError names the holder; AgentExcludedError, AgentBoundError, TodoNotOpenError.
    """

    def change(work: Work) -> Outcome:
        agent_id = work.actor.agent_id
        if agent_id is None:
            raise ActorRequiredError("a claim is made by an agent", hint="Say who with --claimed-by.")
        todo = work.tx.todo(todo_in_goal(work, todo_id))
        todo = reopened_if_awake(work, todo)
        refuse_unless_open(todo, Status.OPEN, Status.BLOCKED)
        refuse_unclaimable(todo, agent_id, work.now, work.active_agents)
        claim = Claim(agent_id, work.now, work.now + (ttl or STALE_AFTER))
        previous = todo.claim.agent_id if todo.claim and todo.claim.agent_id != agent_id else None
        claimed = work.tx.save(todo, todo._replace(claim=claim))
        work.tx.forgive_lapse(todo, agent_id)
        notes = (("previous_owner", previous),) if previous else ()
        return Outcome(
            todo_answer(work, claimed),
            todo.todo_id,
            next_command=_next_command(work, claimed, agent_id),
            notes=notes,
        )

    return mutate(project, call, change)


def release_todo(project: Project, call: Call, todo_id: str) -> Document:
    """Give the claim up, and a lease with it (its token is needed). NotClaimOwnerError, ClaimMismatchError."""

    def change(work: Work) -> Outcome:
        todo = work.tx.todo(todo_in_goal(work, todo_id))
        refuse_unless_open(todo, Status.OPEN, Status.BLOCKED, Status.DEFERRED)
        hand = work.hand(todo)
        refuse_without_token(todo, hand, work.now)
        authorise(todo, hand, None, work.now)
        if todo.claim is None and todo.lease is None:
            raise ClaimMismatchError(f"{todo.todo_id} is not claimed", hint="Nothing to release.", todo_id=todo.todo_id)
        released = work.tx.save(todo, todo._replace(claim=None, lease=None))
        return Outcome(
            todo_answer(work, released),
            todo.todo_id,
            next_command=command("todo", "show", todo.todo_id),
        )

    return mutate(project, call, change)


def reassign_todo(project: Project, call: Call, todo_id: str, to: str) -> Document:
    """Give the claim to another agent; a peer's claim needs the grant `reassign` (W4)."""

    def change(work: Work) -> Outcome:
        todo = work.tx.todo(todo_in_goal(work, todo_id))
        receiver = agent(work, to)
        assert receiver is not None
        refuse_unless_open(todo, Status.OPEN, Status.BLOCKED)
        if todo.role is Role.USER:
            raise UsageError(f"{todo.todo_id} is a person's todo", hint="Only agent todos are assigned.")
        hand = work.hand(todo)
        refuse_agents_on_gates(todo, hand, "reassign a gate")
        refuse_without_token(todo, hand, work.now)
        use = authorise(todo, hand, LifecycleAction.REASSIGN, work.now)
        refuse_ineligible(todo, receiver)
        work.tx.forgive_lapse(todo, receiver)
        claim = Claim(receiver, work.now, work.now + STALE_AFTER)
        moved = work.tx.save(todo, todo._replace(claim=claim, lease=None))
        previous = todo.claim.agent_id if todo.claim else None
        return Outcome(
            todo_answer(work, moved),
            todo.todo_id,
            authority=use,
            next_command=command("todo", "show", todo.todo_id),
            notes=(("previous_owner", previous),) if previous else (),
        )

    return mutate(project, call, change)


def _next_command(work: Work, todo: Todo, agent_id: str) -> str:
    """Completing it, where that could be done now; otherwise what is in the way."""
    one = ("--goal-id", todo.goal_id, "--todo-id", todo.todo_id)
    is_held = todo.live_lease(work.now) is not None
    is_work = todo.status is Status.OPEN and todo.task_class is TaskClass.ADVANCEMENT
    if is_work and not is_held and unready(work, todo) is None:
        return command("todo", "complete", *one, "--claimed-by", agent_id, "--evidence", "-")
    return command("todo", "why", *one, "--agent-id", agent_id)
