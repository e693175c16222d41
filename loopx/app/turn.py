"""One idle turn of a worker: mailbox, newest plan and claim-next, looked at in one write transaction (S4.1).

An undelivered message or a plan without approval makes the claim a no-op, so that a shutdown which
arrives between two steps cannot lose. The look before it, which writes nothing and waits for nobody, only
spares the transaction where it could have nothing to do: under a closed gate the store sees no write (S4.3).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.claim_next import Wish, take_next
from loopx.app.decide import Question, should_run
from loopx.app.mutation import Call, Document, Outcome, Work, mutate
from loopx.app.project import registered_agent
from loopx.core.decision.reason import Mode
from loopx.core.errors import ActorRequiredError
from loopx.core.instant import parse_instant
from loopx.core.message import Message
from loopx.core.value import Value
from loopx.store.mailbox import oldest_unread
from loopx.store.plans import closed_gate

if TYPE_CHECKING:
    from loopx.app.project import Project, Snapshot
    from loopx.core.instant import Instant


class Turn(Value):
    """What the transaction found: a message first of all, otherwise a claim (as `claim_next_v1` has it), or neither."""

    message: Message | None = None
    claim: Document | None = None
    is_gated: bool = False  # the newest plan waits for its answer, or was rejected
    reason: str = ""  # why there is no claim


class Glance(Value):
    """What a worker sees before its turn, without writing."""

    has_mail: bool = False
    is_gated: bool = False
    may_claim: bool = False
    is_spent: bool = False  # the goal's budget is used
    reason: str = ""
    next_wake_at: Instant | None = None


def glance(project: Project, question: Question, *, claims: bool = True) -> Glance:
    """Whether a turn could find anything. Without `claims` the mailbox alone counts. AgentNotRegisteredError."""

    def query(snapshot: Snapshot) -> Glance:
        goal = snapshot.registry.goal(question.goal_id)
        agent_id = registered_agent(goal, question.agent_id)
        has_mail = oldest_unread(snapshot.db, goal.goal_id, agent_id) is not None
        is_gated = closed_gate(snapshot.db, goal.goal_id, agent_id) is not None
        return Glance(has_mail=has_mail, is_gated=is_gated)

    seen = project.read(query)
    if seen.has_mail or not claims:
        return seen
    if seen.is_gated:
        return seen._replace(reason="the newest plan is not approved")
    packet = should_run(project, question)
    wake = packet["scheduler_hint"]["next_wake_at"]
    return seen._replace(
        may_claim=packet["should_run"],
        is_spent=packet["interaction_contract"]["mode"] == Mode.QUOTA_WAIT,
        reason=packet["reason"],
        next_wake_at=parse_instant(wake, now=project.clock.now()) if wake is not None else None,
    )


def take_turn(project: Project, call: Call, wish: Wish | None) -> Turn:
    """The oldest unread message of the caller, or else the next claim, or neither.

    A message is handed out and stays unread until it is acknowledged. Without a wish nothing is claimed.
    """
    found: list[Turn] = []

    def change(work: Work) -> Outcome:
        turn, outcome = _looked(work, wish)
        found.append(turn)
        return outcome

    document = mutate(project, call, change)
    return found[-1]._replace(claim=document.get("claim"), reason=document.get("reason") or "")


def _looked(work: Work, wish: Wish | None) -> tuple[Turn, Outcome]:
    agent_id = work.actor.agent_id
    if agent_id is None:
        raise ActorRequiredError("a turn is an agent's", hint="Say who with --agent-id.")
    nothing = Outcome({}, records=False)
    message = oldest_unread(work.tx.db, work.goal.goal_id, agent_id)
    if message is not None:
        return Turn(message=message), nothing
    if closed_gate(work.tx.db, work.goal.goal_id, agent_id) is not None:
        return Turn(is_gated=True), nothing
    return Turn(), take_next(work, wish) if wish is not None else nothing
