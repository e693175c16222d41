"""What each verb may do to a todo: the guards that every door shares (W3, W4, W5.3).

A guard returns or refuses; it never changes anything. Verbs call them in the order in which
`cli.md` states the checks, so that a caller always meets the same refusal first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.actor import Actor, ActorKind
from loopx.core.authority import AuthorityUse, LifecycleAction, authorize_lifecycle
from loopx.core.errors import (
    ActorRequiredError,
    AgentBoundError,
    AgentExcludedError,
    AlreadyClaimedError,
    AlreadyDoneError,
    ClaimMismatchError,
    ClaimTokenRequiredError,
    LeaseConflictError,
    LeaseExpiredError,
    NotClaimOwnerError,
    TodoInvalidError,
    TodoNotOpenError,
    UserDecisionRequiredError,
)
from loopx.core.instant import format_instant
from loopx.core.todo import Closure, Role, Status, TaskClass, Todo
from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from loopx.core.goal import Grant
    from loopx.core.instant import Instant


class Hand(Value):
    """Who reaches for a todo, and what they hold.

    `token_known` says that the token was once issued for this todo; `lapsed` that the actor lost
    it by expiry and has not claimed it since; `active_agents` that a claim can count at all.
    """

    actor: Actor
    active_agents: Container[str]
    grants: Sequence[Grant] = ()
    token: str | None = None
    token_known: bool = False
    lapsed: bool = False
    as_user: bool = False
    authority_reason: str | None = None


TRANSITIONS: dict[Status, frozenset[Status]] = {
    Status.OPEN: frozenset((Status.DONE, Status.BLOCKED, Status.DEFERRED)),
    Status.BLOCKED: frozenset((Status.OPEN, Status.DEFERRED, Status.BLOCKED)),
    Status.DEFERRED: frozenset((Status.OPEN, Status.BLOCKED, Status.DEFERRED)),
    Status.DONE: frozenset(),
}


def live_owner(todo: Todo, now: Instant, active_agents: Container[str]) -> str | None:
    """Who holds the todo now: the lease's holder, or the agent of a claim that still counts."""
    lease = todo.live_lease(now)
    if lease is not None:
        return lease.holder
    claim = todo.claim
    return claim.agent_id if claim is not None and claim.counts(now, active_agents) else None


def is_claim_tied(todo: Todo) -> bool:
    """Whether claim-next made the claim together with the lease: both have one holder and one end."""
    claim, lease = todo.claim, todo.lease
    if claim is None or lease is None:
        return False
    return claim.agent_id == lease.holder and claim.expires_at == lease.expires_at


def refuse_unless_open(todo: Todo, *allowed: Status) -> None:
    """AlreadyDoneError for a done todo, TodoNotOpenError for one that is not in `allowed` (open alone)."""
    if todo.status is Status.DONE:
        raise AlreadyDoneError(
            f"{todo.todo_id} is done ({todo.closure})",
            hint="Add a new todo for what is left to do.",
            todo_id=todo.todo_id,
            closure=todo.closure,
        )
    if todo.closure is Closure.SUPERSEDED:
        raise TodoNotOpenError(
            f"{todo.todo_id} was superseded by {todo.superseded_by or 'nothing'} and is never resumed",
            hint="Work on what replaced it.",
            todo_id=todo.todo_id,
            superseded_by=todo.superseded_by,
        )
    if todo.status not in (allowed or (Status.OPEN,)):
        raise TodoNotOpenError(
            f"{todo.todo_id} is {todo.status}",
            hint=f"`loopx todo show {todo.todo_id}` says what it waits for; `loopx todo reopen` opens it.",
            todo_id=todo.todo_id,
            status=todo.status,
        )


def refuse_transition(todo: Todo, target: Status) -> None:
    """The same refusals, for a verb that moves the todo to `target`."""
    refuse_unless_open(todo, *(status for status in Status if target in TRANSITIONS[status]))


def refuse_unmovable(todo: Todo, target: Status, hand: Hand, now: Instant, what: str) -> None:
    """What every door shares that puts a todo aside or takes it up again.

    AlreadyDoneError, TodoNotOpenError, UserDecisionRequiredError for an agent on a gate (`what` names the
    act), and the refusals of held work.
    """
    refuse_transition(todo, target)
    refuse_agents_on_gates(todo, hand, what)
    refuse_without_token(todo, hand, now)
    authorise(todo, hand, None, now)


def refuse_without_token(todo: Todo, hand: Hand, now: Instant) -> None:
    """Work under a live lease changes only with its token; a lapsed holder changes nothing (W5.3).

    ClaimTokenRequiredError, ClaimMismatchError or LeaseExpiredError. A person who says
    `--as-user` needs no token.
    """
    lease = todo.live_lease(now)
    if hand.token is not None:
        if lease is not None and hand.token == lease.claim_token and _may_hold(hand, lease.holder):
            return
        if lease is not None and hand.token == lease.claim_token:
            raise _mismatch(todo, f"the token belongs to {lease.holder}")
        if hand.token_known:
            raise _expired(todo)
        raise _mismatch(todo, "this token was never issued for it")
    if lease is not None and not hand.as_user:
        raise ClaimTokenRequiredError(
            f"{todo.todo_id} is under a live lease of {lease.holder} until {format_instant(lease.expires_at)}",
            hint="Pass the --claim-token that the claim returned.",
            todo_id=todo.todo_id,
            holder=lease.holder,
        )
    if lease is None and _has_lapsed(todo, hand):
        raise _expired(todo)


def _may_hold(hand: Hand, holder: str) -> bool:
    return hand.actor.kind is ActorKind.USER or hand.actor.agent_id == holder


def _has_lapsed(todo: Todo, hand: Hand) -> bool:
    return hand.lapsed or (todo.lease is not None and todo.lease.holder == hand.actor.agent_id)


def _mismatch(todo: Todo, fact: str) -> ClaimMismatchError:
    return ClaimMismatchError(
        f"the claim token does not open {todo.todo_id}: {fact}",
        hint=f"`loopx todo show {todo.todo_id}` names who holds it now.",
        todo_id=todo.todo_id,
    )


def _expired(todo: Todo) -> LeaseExpiredError:
    return LeaseExpiredError(
        f"your lease on {todo.todo_id} is over; nothing is written for a late holder",
        hint=f"Claim {todo.todo_id} again before you go on.",
        todo_id=todo.todo_id,
    )


def authorise(todo: Todo, hand: Hand, action: LifecycleAction | None, now: Instant) -> AuthorityUse | None:
    """Whether the actor may change a todo that may be held; the grant's use where one was needed (W4).

    `action` None is a change that no grant gives. ActorRequiredError for a person who did not say
    `--as-user`; NotClaimOwnerError, ActionNotDelegatedError, AuthorityReasonRequiredError.
    """
    owner = live_owner(todo, now, hand.active_agents)
    if hand.actor.kind is ActorKind.USER:
        if owner is not None and not hand.as_user:
            raise ActorRequiredError(
                f"{todo.todo_id} is held by {owner}; a call without an agent does not say who acts",
                hint="Name the agent, or say --as-user with a --reason.",
                todo_id=todo.todo_id,
                holder=owner,
            )
        return None
    if action is None:
        refuse_unless_owner(todo, hand, now)
        return None
    return authorize_lifecycle(
        action, actor=hand.actor, claim_owner=owner, grants=hand.grants, reason=hand.authority_reason
    )


def refuse_unless_owner(todo: Todo, hand: Hand, now: Instant) -> None:
    """NotClaimOwnerError where a peer holds the todo (W4.1)."""
    owner = live_owner(todo, now, hand.active_agents)
    if owner is not None and owner != hand.actor.agent_id:
        raise NotClaimOwnerError(
            f"{todo.todo_id} is held by {owner}",
            hint=f"Ask {owner}, or take other work.",
            todo_id=todo.todo_id,
            holder=owner,
        )


def refuse_ineligible(todo: Todo, agent_id: str) -> None:
    """AgentExcludedError or AgentBoundError: no grant overrides these (W3.4, W4.4)."""
    if agent_id in todo.route.excluded_agents:
        raise AgentExcludedError(
            f"{agent_id} is excluded from {todo.todo_id}",
            hint="Leave it to a peer that is not excluded.",
            todo_id=todo.todo_id,
            agent_id=agent_id,
        )
    if todo.route.bound_agent not in (None, agent_id):
        raise AgentBoundError(
            f"{todo.todo_id} is bound to {todo.route.bound_agent}",
            hint=f"Leave it to {todo.route.bound_agent}.",
            todo_id=todo.todo_id,
            agent_id=agent_id,
            bound_agent=todo.route.bound_agent,
        )


def refuse_agents_on_gates(todo: Todo, hand: Hand, what: str) -> None:
    """UserDecisionRequiredError where an agent would decide or weaken a gate (W6.6, W6.9)."""
    if todo.task_class is TaskClass.USER_GATE and hand.actor.kind is ActorKind.AGENT:
        raise user_decision_required(todo, what)


def user_decision_required(todo: Todo, what: str) -> UserDecisionRequiredError:
    """The refusal itself: what only a person may do."""
    return UserDecisionRequiredError(
        f"only a person may {what} ({todo.todo_id})",
        hint=f"Ask the user to look at `loopx todo show {todo.todo_id}`.",
        todo_id=todo.todo_id,
    )


def refuse_unclaimable(todo: Todo, agent_id: str, now: Instant, active_agents: Container[str]) -> None:
    """Whether `agent_id` may put its soft claim on the todo (W3.2–W3.4, W3.6).

    TodoInvalidError for user todos, AgentExcludedError, AgentBoundError, AlreadyClaimedError,
    LeaseConflictError under another's live lease.
    """
    if todo.role is Role.USER:
        raise TodoInvalidError(
            f"{todo.todo_id} is a {todo.task_class} for a person; agents claim agent todos only",
            hint="Take other work; `loopx inbox` shows the person what waits.",
            todo_id=todo.todo_id,
        )
    refuse_ineligible(todo, agent_id)
    claim = todo.claim
    if claim is not None and claim.agent_id != agent_id and claim.counts(now, active_agents):
        raise AlreadyClaimedError(
            f"{todo.todo_id} is claimed by {claim.agent_id} until {format_instant(claim.expires_at)}",
            hint="Take other work; `loopx quota should-run` names it.",
            todo_id=todo.todo_id,
            holder=claim.agent_id,
        )
    lease = todo.live_lease(now)
    if lease is not None and lease.holder != agent_id:
        raise LeaseConflictError(
            f"{todo.todo_id} is leased by {lease.holder} until {format_instant(lease.expires_at)}",
            hint="Take other work; `loopx quota should-run` names it.",
            todo_id=todo.todo_id,
            holder=lease.holder,
        )
